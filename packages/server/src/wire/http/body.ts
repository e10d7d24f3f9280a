/** Reads request bodies. */

import type { Readable } from "node:stream";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { HttpFault, type HttpIn, type HttpOut } from "./http.ts";
import type { HttpContext } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";

const EMPTY = Buffer.alloc(0);

/** Memory of a body that is read as it arrives: what is received, and two buffers of what is being written. */
const STREAMED_BYTES = 640 * 1024;

/**
 * Reads a body as it arrives. The time limit of the request begins again with each chunk, and ends with the last one:
 * storing a large body takes long. Rejects if the client is gone, or too many bodies are being received.
 */
export async function* readChunks({
  request,
  response,
  context,
}: HttpContext): AsyncGenerator<Buffer> {
  context.announced(STREAMED_BYTES);
  continueIfAwaited(request, response);
  // The stream of a request without a body has ended already.
  if (!request.readableEnded) {
    try {
      // An error is answered: the connection must not be closed before.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (context.abandoned) break;
        context.progressed();
        yield chunk as Buffer;
        // The client cannot send while this one is processed.
        context.progressed();
      }
    } catch {
      throw new WharfError("CANCELLED", "the client closed the request");
    }
    if (context.abandoned) throw context.abandoned;
    // In HTTP/2, a body that the client resets ends like any other.
    if (request.aborted) throw new WharfError("CANCELLED", "the client closed the request");
  }
  context.endTimeLimit();
}

function continueIfAwaited({ headers }: HttpIn, response: HttpOut): void {
  if (headers.expect !== undefined && AWAITS_CONTINUE.test(headers.expect)) {
    response.writeContinue();
  }
}

/** Reads a body and decompresses gzip. Rejects if it exceeds the limit, compressed or not. */
export async function readBody(
  { request, response, context }: Pick<HttpContext, "request" | "response" | "context">,
  limit: number,
): Promise<Buffer> {
  const { headers } = request;
  const length = Number(headers["content-length"] ?? 0);
  if (length > limit) throw tooLarge(limit);
  context.announced(length);
  continueIfAwaited(request, response);
  const bytes = await collect(request, limit, context);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity" || bytes.length === 0) return bytes;
  if (encoding !== "gzip") {
    const description = `content-encoding must be gzip or identity, not ${JSON.stringify(encoding)}`;
    throw new HttpFault(invalidArgument({ field: "", description }), 415);
  }
  return gunzip(bytes, limit, context);
}

const AWAITS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Decompresses gzip, up to a limit. Counts the bytes as they come out: many small bodies can grow to large ones. */
export function gunzip(
  bytes: Uint8Array,
  limit: number,
  context: Pick<RequestContext, "received">,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = zlib().createGunzip();
    const fail = (error: unknown) => {
      stream.destroy();
      reject(error);
    };
    const chunks = chunksOf(stream, limit, context, fail);
    stream.on("end", () => resolve(joined(chunks)));
    stream.on("error", () =>
      fail(invalidArgument({ field: "", description: "the body is not valid gzip" })),
    );
    stream.end(bytes);
  });
}

/** Closes the connection: the rest of the body would have to be read before the next request. */
function tooLarge(limit: number): HttpFault {
  const error = new WharfError("RESOURCE_EXHAUSTED", `the request is larger than ${limit} bytes`);
  return new HttpFault(error, 413, { connection: "close" });
}

function collect(stream: Readable, limit: number, context: RequestContext): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The stream of a request without a body has ended already, and emits no event.
    if (stream.readableEnded) {
      resolve(EMPTY);
      return;
    }
    const chunks = chunksOf(stream, limit, context, (error) => {
      stream.pause();
      reject(error);
    });
    stream.once("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : joined(chunks));
    });
    const disconnected = () => reject(new WharfError("CANCELLED", "the client closed the request"));
    stream.once("error", disconnected);
    stream.once("aborted", disconnected);
  });
}

/** The chunks of a stream as they arrive. They are dropped when they exceed the limit, or the memory of all bodies. */
function chunksOf(
  stream: Readable,
  limit: number,
  context: Pick<RequestContext, "received">,
  fail: (error: unknown) => void,
): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    try {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      context.received(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      chunks.length = 0;
      fail(error);
    }
  });
  return chunks;
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 0 ? EMPTY : Buffer.concat(chunks);
}
