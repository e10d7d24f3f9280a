import type { ServerHttp2Stream } from "node:http2";

/** Enough for an answer to cross the world; little enough that endless uploads gain nothing. */
const LINGER_MS = 1_000;

/**
 * Whatever the client is still sending is of no use to anyone. A reset sent at once could overtake
 * the answer, so the client gets a moment to end of its own accord.
 *
 * @example if (!stream.readableEnded) discardRest(stream);
 */
export function discardRest(stream: ServerHttp2Stream): void {
  stream.removeAllListeners("data");
  stream.resume();
  const timer = setTimeout(() => stream.close(), LINGER_MS).unref();
  stream.on("close", () => clearTimeout(timer));
}
