/** What a client is still sending when its answer is ready is of no use to anyone. */
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { HttpIn } from "./http.ts";

/** Enough for an answer to cross the world; little enough that endless uploads gain nothing. */
const LINGER_MS = 3_000;

/**
 * Bytes read and dropped so that the client gets to see its answer: many over HTTP/1, where a client
 * may read only after it has sent everything; few over HTTP/2, where flow control tells it to stop.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
const MAX_DISCARDED_STREAM_BYTES = 64 * 1024;

/** Bodies of announced length up to this are read to their end, and the connection stays open. */
const MAX_DRAINED_BYTES = 64 * 1024;

/**
 * Reads on after the answer of a stream and throws away what comes. A reset sent at once could
 * overtake the answer, so the client gets a moment to end of its own accord.
 */
export function discardRest(stream: ServerHttp2Stream): void {
  drop(stream, MAX_DISCARDED_STREAM_BYTES);
  const timer = setTimeout(() => stream.close(), LINGER_MS).unref();
  stream.on("close", () => clearTimeout(timer));
}

/**
 * The same for HTTP/1, where the answer ends the connection: our side is closed, theirs is read
 * until they have closed it too. A socket closed with bytes unread would be reset, and the client,
 * still writing, would never see why.
 */
export function hangUpGently(request: IncomingMessage): void {
  const { socket } = request;
  drop(request, MAX_DISCARDED_BYTES);
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.on("close", () => clearTimeout(timer));
}

/**
 * Whether a client may be sending much that nobody will read: over HTTP/1 the connection is then
 * closed with the answer.
 */
export function leavesBody({ complete, headers, httpVersionMajor }: HttpIn): boolean {
  if (complete || httpVersionMajor > 1) return false;
  if (headers["transfer-encoding"] !== undefined) return true;
  return Number(headers["content-length"] ?? 0) > MAX_DRAINED_BYTES;
}

/**
 * Over HTTP/2, bounds what the client goes on sending after its answer. Over HTTP/1 this is done
 * when the connection is closed.
 */
export function abandonStream({ stream }: HttpIn): void {
  if (stream === undefined || stream.destroyed) return;
  if (!stream.endAfterHeaders && !stream.readableEnded) discardRest(stream);
}

function drop(source: ServerHttp2Stream | IncomingMessage, maxBytes: number): void {
  let left = maxBytes;
  source.removeAllListeners("data");
  source.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) source.pause();
  });
  source.resume();
}
