/** What a client is still sending when its answer is ready is of no use to anyone. */
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";

/** Enough for an answer to cross the world; little enough that endless uploads gain nothing. */
const LINGER_MS = 3_000;

/**
 * Reads on after the answer of a stream and throws away what comes. A reset sent at once could
 * overtake the answer, so the client gets a moment to end of its own accord.
 *
 * @example if (!stream.readableEnded) discardRest(stream);
 */
export function discardRest(stream: ServerHttp2Stream): void {
  stream.removeAllListeners("data");
  stream.resume();
  const timer = setTimeout(() => stream.close(), LINGER_MS).unref();
  stream.on("close", () => clearTimeout(timer));
}

/**
 * The same for HTTP/1, where the answer ends the connection: our side is closed, theirs is read
 * until they have closed it too. A socket closed with bytes unread would be reset, and the client,
 * still writing, would never see why.
 *
 * @example response.write(body); hangUpGently(request);
 */
export function hangUpGently(request: IncomingMessage): void {
  const { socket } = request;
  request.removeAllListeners("data");
  request.resume();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.on("close", () => clearTimeout(timer));
}
