/** Handles request bodies that are still being sent after the response. */
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { HttpIn } from "./http.ts";

/** Long enough to deliver the response on slow networks. */
const LINGER_MS = 3_000;

/** Maximum pause of an HTTP/1 client that sends its body: a busy one reads the response late. */
const MAX_PAUSE_MS = 10_000;

/**
 * Bytes that are read and discarded so that the client receives the response. HTTP/1 clients may read only after
 * they have sent everything; HTTP/2 has flow control.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
const MAX_DISCARDED_STREAM_BYTES = 64 * 1024;

/** Bodies with a Content-Length up to this are read to their end, and the connection stays open. */
const MAX_DRAINED_BYTES = 64 * 1024;

/** Discards the rest of a stream's body, then closes the stream. An immediate reset could overtake the response. */
export function discardRest(stream: ServerHttp2Stream): void {
  const timer = setTimeout(() => stream.close(), LINGER_MS).unref();
  stream.on("close", () => clearTimeout(timer));
  // Unread bytes would fill the window of the stream, which is memory.
  drop(stream, MAX_DISCARDED_STREAM_BYTES, () => stream.close());
}

/**
 * Closes an HTTP/1 connection after the response: half-closes the socket and reads until the client closes its side.
 * Closing a socket with unread bytes resets it, and the client would lose the response. Clients that go on sending have
 * as long as a request may take.
 */
export function closeGracefully(request: IncomingMessage, maxMs: number): void {
  const { socket } = request;
  const end = () => socket.destroy();
  const idle = setTimeout(end, MAX_PAUSE_MS).unref();
  const deadline = setTimeout(end, maxMs).unref();
  socket.on("close", () => {
    clearTimeout(idle);
    clearTimeout(deadline);
  });
  drop(request, MAX_DISCARDED_BYTES, end);
  request.on("data", () => idle.refresh());
  socket.end();
}

/** Whether an HTTP/1 client may still be sending a long body: the response closes the connection then. */
export function hasUnreadBody({ complete, headers, httpVersionMajor }: HttpIn): boolean {
  if (complete || httpVersionMajor > 1) return false;
  if (headers["transfer-encoding"] !== undefined) return true;
  return Number(headers["content-length"] ?? 0) > MAX_DRAINED_BYTES;
}

/** Bounds what an HTTP/2 client sends after the response. In HTTP/1, closing the connection does. */
export function abandonStream({ stream }: HttpIn): void {
  if (stream === undefined || stream.closed) return;
  if (!stream.endAfterHeaders && !stream.readableEnded) discardRest(stream);
}

function drop(
  source: ServerHttp2Stream | IncomingMessage,
  maxBytes: number,
  exceeded: () => void,
): void {
  let left = maxBytes;
  source.removeAllListeners("data");
  source.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) exceeded();
  });
  source.resume();
}
