import { FetchError } from "../../lib/fetch-json.ts";
import { limitOf } from "../../lib/limit.ts";

interface Entry {
  readonly limit: ReturnType<typeof limitOf>;
  users: number;
}

/** Bounds concurrency per key. Work that is queued for too long is rejected. */
export class KeyedSemaphore {
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  readonly #entries = new Map<string, Entry>();

  constructor(concurrency: number, timeoutMs: number) {
    this.#concurrency = concurrency;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs work once the key has a free permit. Rejects with a FetchError after the timeout. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) ?? { limit: limitOf(this.#concurrency), users: 0 };
    this.#entries.set(key, entry);
    entry.users++;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isQueued = true;
    const timer = setTimeout(() => {
      isQueued = false;
      reject(new FetchError("too many new issuers match the same pattern: try again"));
    }, this.#timeoutMs);
    const start = async () => {
      clearTimeout(timer);
      if (isQueued) await work().then(resolve, reject);
    };
    entry.limit(start).finally(() => {
      entry.users--;
      if (entry.users === 0) this.#entries.delete(key);
    });
    return promise;
  }
}
