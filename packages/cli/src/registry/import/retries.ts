import { setTimeout as sleep } from "node:timers/promises";

/** A failure after which the same request may succeed. */
export class TransientError extends Error {
  override readonly name = "TransientError";
  /** The delay that the registry asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { retryAfterMs, cause }: { retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** With the backoff below, this bridges half a minute. */
const MAX_ATTEMPTS = 8;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 15_000;

/** A registry that asks for a longer delay has a quota that is used up: the user runs the command again later. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Runs work again after transient errors, with exponential backoff and 50 % jitter. */
export async function retrying<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof TransientError) || attempt === MAX_ATTEMPTS) throw thrown;
      const max = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempt - 1));
      const wait = thrown.retryAfterMs ?? max / 2 + (Math.random() * max) / 2;
      if (wait > MAX_RETRY_AFTER_MS) throw thrown;
      await sleep(wait, undefined, { signal });
    }
  }
}

/** Retry-After in milliseconds: seconds, or a date. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
