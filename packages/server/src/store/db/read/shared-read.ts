import type { Reader, Value } from "../connection.ts";

/** A caller of a shared read. */
interface PendingRead<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Coalesces concurrent reads without stale results: a caller that arrives while a read is running gets the
 * result of the next one.
 */
export class SharedRead<T> {
  readonly #source: () => Promise<T>;
  #waiting: PendingRead<T>[] = [];
  #reading = false;

  constructor(source: () => Promise<T>) {
    this.#source = source;
  }

  read(): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#reading) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#reading = true;
    while (this.#waiting.length > 0) {
      const served = this.#waiting;
      this.#waiting = [];
      try {
        const value = await this.#source();
        for (const { resolve } of served) resolve(value);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    this.#reading = false;
  }
}

/** Shared reads of statements without parameters, of which there are few. */
export class SharedReads {
  readonly #reader: Reader;
  readonly #reads = new Map<string, SharedRead<(readonly Value[])[]>>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  read<R extends readonly Value[]>(sql: string): Promise<R[]> {
    let shared = this.#reads.get(sql);
    if (shared === undefined) {
      shared = new SharedRead(async () => this.#reader.arrays(sql));
      this.#reads.set(sql, shared);
    }
    return shared.read() as Promise<R[]>;
  }
}
