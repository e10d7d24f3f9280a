import { setTimeout as sleep } from "node:timers/promises";
import { WharfError } from "@wharf/client";
import type { Context } from "./context.ts";

/** The pause before a lost stream is resumed. */
const RECONNECT_MS = 1_000;

/** Errors after which a stream is resumed: the server restarts, the connection is lost, the token has expired. */
const RESUMED = new Set(["UNAVAILABLE", "UNAUTHENTICATED", "CANCELLED", "UNKNOWN"]);

export interface StreamHandling<T> {
  /** The position of a message, after which the stream is resumed. */
  idOf(message: T): string;
  handle(message: T): Promise<void> | void;
}

/** Handles every message of a stream, and continues after the last one when the stream is lost, until interrupted. */
export async function resumed<T>(
  context: Context,
  start: string,
  open: (after: string) => AsyncIterable<T>,
  { idOf, handle }: StreamHandling<T>,
): Promise<void> {
  const { signal } = context;
  let after = start;
  let wasRejected = false;
  for (;;) {
    try {
      for await (const message of open(after)) {
        wasRejected = false;
        await handle(message);
        after = idOf(message);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof WharfError) || !RESUMED.has(error.code)) throw error;
      // A new token was rejected, too.
      if (error.code === "UNAUTHENTICATED" && wasRejected) throw error;
      wasRejected = error.code === "UNAUTHENTICATED";
      context.err.note(`reconnecting: ${error.message}`);
    }
    await sleep(RECONNECT_MS, undefined, { signal });
  }
}
