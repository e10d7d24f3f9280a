import type { StoreFailure } from "./failure.ts";

/** The interval of probes while the store cannot be written. */
const RETRY_MS = 2_000;

/** The interval of probes of an idle store, so that a full disk is detected early. */
const IDLE_MS = 60_000;

/** Is notified of failures and of recovery. */
export interface HealthObserver {
  failed(failure: StoreFailure): void;
  recovered(failure: StoreFailure): void;
}

/**
 * Whether the store can be written. It fails with the first write that the database itself rejects, and
 * recovers with the next commit; after a full disk, with the next probe, which writes as many bytes as
 * typical writes. So a server that gets no requests while it is not ready still recovers.
 */
export class StoreHealth {
  readonly #probe: () => Promise<void>;
  readonly #observers: HealthObserver[] = [];
  #failure: StoreFailure | undefined;
  #lastCommit = 0;
  #probing = false;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` writes to the store and deletes it again; its failures are reported like all others. */
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

  /** Starts to probe the store while it is idle or failed. */
  start(): void {
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** A commit proves that the store can be written, but not that a full disk has space again. */
  committed(): void {
    this.#lastCommit = performance.now();
    if (this.#failure !== undefined && this.#failure.cause !== "disk_full") this.#recover();
  }

  /** Failed reads, and writes that need a damaged page, concern single requests. */
  failed(failure: StoreFailure): void {
    for (const observer of this.#observers) observer.failed(failure);
    if (failure.operation === "read" || failure.cause === "damaged") return;
    const isNew = this.#failure === undefined;
    this.#failure = failure;
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
    this.#timer = setTimeout(() => void this.#tick(), ms).unref();
  }

  async #tick(): Promise<void> {
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
