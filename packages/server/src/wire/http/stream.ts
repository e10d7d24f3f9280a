/** Streams responses that are too long for memory, as fast as the client reads. */

import type { OutgoingHttpHeaders } from "node:http";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { WharfError } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { COMPRESS_LEVEL } from "../limits.ts";
import { closeIfUnread } from "./idle-connections.ts";
import type { HttpContext } from "./reply.ts";

/** The chunks of a body, each produced after the one before was written. */
export type BodyChunks = AsyncIterable<string | Uint8Array> | Readable;

/** Small chunks are coalesced: each write has the same cost. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Writes a response of unknown length and reports it to the observer. If a chunk fails, the connection is closed, so
 * that the client sees a truncated response.
 */
export function sendChunks(
  http: HttpContext,
  status: number,
  headers: OutgoingHttpHeaders,
  chunks: BodyChunks,
  { compressed }: { readonly compressed: boolean },
): void {
  const { context, request, response } = http;
  response.writeHead(status, headers);
  if (request.method === "HEAD") {
    cancelBody(chunks);
    response.end();
    context.finished(status, 0, 0);
    return;
  }
  closeIfUnread(http);
  const source =
    chunks instanceof Readable ? chunks : Readable.from(coalesce(chunks), { objectMode: false });
  const gzip = compressed ? zlib().createGzip({ level: COMPRESS_LEVEL }) : undefined;
  let bytes = 0;
  (gzip ?? source).on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const target = response as unknown as Writable;
  const sent = gzip ? pipeline(source, gzip, target) : pipeline(source, target);
  sent.then(
    () => context.finished(status, 0, bytes),
    (thrown) => {
      cancelBody(chunks);
      const error = isGone(thrown)
        ? new WharfError("CANCELLED", "the client closed the request")
        : WharfError.from(thrown);
      response.destroy();
      context.finished(status, error.number, bytes, error);
    },
  );
}

/** Cancels a body that will not be read, so that its producer stops. */
export function cancelBody(body: string | Uint8Array | BodyChunks): void {
  if (body instanceof Readable) {
    body.destroy();
    return;
  }
  const { return: stop } = body as Partial<AsyncIterator<unknown>>;
  // The body is discarded, so its errors do not matter.
  stop?.call(body).catch(() => {});
}

async function* coalesce(chunks: BodyChunks): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const buffer = Buffer.from(chunk as string);
    waiting.push(buffer);
    size += buffer.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
    // A client that reads as fast as chunks are produced must not keep others waiting.
    await setImmediate();
  }
  if (size > 0) yield Buffer.concat(waiting);
}

function isGone(thrown: unknown): boolean {
  return (thrown as { code?: string } | undefined)?.code === "ERR_STREAM_PREMATURE_CLOSE";
}
