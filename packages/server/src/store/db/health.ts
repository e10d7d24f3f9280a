import type { StoreFailure } from "./failure.ts";

/** How often a store that could not be written is tried again. */
const RETRY_MS = 2_000;

/** A store that nobody writes to is tried this often, so that a full disk is known before it matters. */
const IDLE_MS = 60_000;

/** Hears of failures and of their end. */
export interface HealthObserver {
  failed(failure: StoreFailure): void;
  recovered(failure: StoreFailure): void;
}

/**
 * Whether the store can be written. It cannot from the first write that the database itself fails on,
 * and can again with the next commit; after a full disk once a probe succeeds, a write that takes as much
 * room as usual ones do. So a server that gets no requests while it is not ready still recovers.
 */
export class StoreHealth {
  readonly #probe: () => Promise<void>;
  readonly #observers: HealthObserver[] = [];
  #failure: StoreFailure | undefined;
  #lastCommit = 0;
  #probing = false;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` writes to the store and takes it back; its failures are reported like all others. */
  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** Why the store cannot be written; undefined while it can. */
  get failure(): StoreFailure | undefined {
    return this.#failure;
  }

  observe(observer: HealthObserver): void {
    this.#observers.push(observer);
  }

  /** Tries the store from now on whenever nobody else does. */
  start(): void {
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** A commit shows that the store can be written, but not that a full disk has room for more. */
  committed(): void {
    this.#lastCommit = performance.now();
    if (this.#failure !== undefined && this.#failure.cause !== "disk_full") this.#recover();
  }

  failed(failure: StoreFailure): void {
    const isNew = this.#failure === undefined;
    this.#failure = failure;
    for (const observer of this.#observers) observer.failed(failure);
    if (isNew && this.#timer !== undefined) this.#schedule();
  }

  #recover(): void {
    const before = this.#failure;
    if (before === undefined) return;
    this.#failure = undefined;
    for (const observer of this.#observers) observer.recovered(before);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const ms = this.#failure === undefined ? IDLE_MS : RETRY_MS;
    this.#timer = setTimeout(() => void this.#try(), ms).unref();
  }

  async #try(): Promise<void> {
    const isIdle = performance.now() - this.#lastCommit >= IDLE_MS;
    if (!this.#probing && (this.#failure !== undefined || isIdle)) {
      this.#probing = true;
      const succeeded = await this.#probe().then(
        () => true,
        () => false,
      );
      this.#probing = false;
      if (succeeded) this.#recover();
    }
    if (this.#timer !== undefined) this.#schedule();
  }
}
