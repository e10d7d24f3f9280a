/** Reading what a client sends, up to a limit. */

import type { Readable } from "node:stream";
import { invalidArgument, WharfError } from "../lib/errors.ts";
import { zlib } from "../lib/lazy-builtins.ts";
import { HttpFault } from "./http.ts";
import type { HttpContext } from "./http-reply.ts";
import type { RequestContext } from "./request-context.ts";

const EMPTY = Buffer.alloc(0);

/**
 * Reads a body, unpacking gzip. Rejects when it is larger than the limit, packed or unpacked.
 *
 * @example const text = (await readBody(http, limits.messageBytes)).toString();
 */
export async function readBody(
  { request, response, context }: Pick<HttpContext, "request" | "response" | "context">,
  limit: number,
): Promise<Buffer> {
  const { headers } = request;
  if (Number(headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  if (headers.expect !== undefined && AWAITS_CONTINUE.test(headers.expect)) {
    response.writeContinue();
  }
  const bytes = await collect(request, limit, context);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity" || bytes.length === 0) return bytes;
  if (encoding !== "gzip") {
    const description = `content-encoding must be gzip or identity, not ${JSON.stringify(encoding)}`;
    throw new HttpFault(invalidArgument({ field: "", description }), 415);
  }
  const unpacked = await unzip(bytes, limit);
  context.received(unpacked.length);
  return unpacked;
}

/** Only now is it certain that the body is wanted. */
const AWAITS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Unpacks gzip, giving up as soon as the result passes the limit.
 *
 * @example await unzip(packed, limits.messageBytes)
 */
export function unzip(bytes: Uint8Array, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().gunzip(bytes, { maxOutputLength: limit }, (error, unpacked) => {
      if (!error) resolve(unpacked);
      else if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
        reject(tooLarge(limit));
      } else reject(invalidArgument({ field: "", description: "the body is not valid gzip" }));
    });
  });
}

/** The connection is not worth keeping: whatever else the client is sending would come first. */
function tooLarge(limit: number): HttpFault {
  const error = new WharfError("RESOURCE_EXHAUSTED", `the request is larger than ${limit} bytes`);
  return new HttpFault(error, 413, { connection: "close" });
}

function collect(stream: Readable, limit: number, context: RequestContext): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A request without a body is at its end from the start, and will not say so again.
    if (stream.readableEnded) {
      resolve(EMPTY);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      try {
        size += chunk.length;
        if (size > limit) throw tooLarge(limit);
        context.received(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stream.pause();
        chunks.length = 0;
        reject(error);
      }
    });
    stream.once("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : joined(chunks));
    });
    const lost = () => reject(new WharfError("CANCELLED", "the client closed the request"));
    stream.once("error", lost);
    stream.once("aborted", lost);
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 0 ? EMPTY : Buffer.concat(chunks);
}
