import { wharfError } from "./errors.ts";

/** How long a call may take, all attempts included. */
export class Deadline {
  /** Aborted when the caller gives up or the time is over. */
  readonly signal: AbortSignal;
  readonly #ends: number;
  readonly #timeoutMs: number;
  readonly #caller: AbortSignal | undefined;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    caller?.throwIfAborted();
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#ends = performance.now() + timeoutMs;
    const timer = AbortSignal.timeout(timeoutMs);
    this.signal = caller ? AbortSignal.any([caller, timer]) : timer;
  }

  get leftMs(): number {
    return Math.max(0, this.#ends - performance.now());
  }

  /**
   * What to tell of something thrown: the caller's own reason if they gave up, that the time is
   * over if it is, else what was thrown.
   */
  verdict(thrown: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (!this.signal.aborted) return thrown;
    const message = `Deadline exceeded: not done within ${this.#timeoutMs} ms`;
    return wharfError("DEADLINE_EXCEEDED", message, { cause: thrown });
  }
}

/**
 * What a promise comes to, unless the signal is aborted before; work that others wait for as well
 * goes on.
 *
 * @example await unlessAborted(sharedToken, signal);
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    const done = () => signal.removeEventListener("abort", abort);
    promise.then(resolve, reject).finally(done);
  });
}

/**
 * Waits, unless the signal is aborted before.
 *
 * @example await pause(100, signal);
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessAborted(waited, signal).finally(() => clearTimeout(timer));
}
