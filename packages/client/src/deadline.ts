import { wharfError } from "./errors.ts";

/** The deadline of a call, retries included. */
export class Deadline {
  /** Aborted when the caller cancels or the deadline passes. */
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

  /** The error to report: the caller's reason if it canceled, DEADLINE_EXCEEDED, or the error itself. */
  errorFor(thrown: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (!this.signal.aborted) return thrown;
    const message = `Deadline exceeded: no result within ${this.#timeoutMs} ms`;
    return wharfError("DEADLINE_EXCEEDED", message, { cause: thrown });
  }
}

/**
 * Rejects when the signal is aborted. The promise itself continues: others may wait for it.
 *
 * @example await abortable(sharedToken, signal);
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const done = () => signal.removeEventListener("abort", abort);
    promise.then(resolve, reject).finally(done);
  });
}

/**
 * Waits. Rejects when the signal is aborted.
 *
 * @example await pause(100, signal);
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(waited, signal).finally(() => clearTimeout(timer));
}
