import { WharfError } from "../../lib/errors.ts";
import type { Driver, Reader, Value } from "./connection.ts";
import { failureText, type StoreFailure } from "./failure.ts";

/** Reports failures of the database, as opposed to those of a statement; their callers get UNAVAILABLE. */
export class ObservedReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #driver: Pick<Driver, "reader" | "failureOf">;
  readonly #onFailure: (failure: StoreFailure) => void;
  /** SQLite throws, and its promises are always fulfilled: observing them would cost a tenth of a read. */
  readonly #isSync: boolean;

  constructor(
    driver: Pick<Driver, "reader" | "failureOf">,
    onFailure: (failure: StoreFailure) => void,
  ) {
    this.#driver = driver;
    this.#onFailure = onFailure;
    this.dialect = driver.reader.dialect;
    this.#isSync = this.dialect.name === "sqlite";
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.observe(() => this.#driver.reader.get<R>(sql, ...params));
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.observe(() => this.#driver.reader.all<R>(sql, ...params));
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.observe(() => this.#driver.reader.arrays<R>(sql, ...params));
  }

  /** Observes one read. */
  observe<T>(read: () => Promise<T>): Promise<T> {
    try {
      return this.#isSync ? read() : read().catch(this.#throw);
    } catch (error) {
      return this.#throw(error);
    }
  }

  readonly #throw = (error: unknown): never => {
    const isUnavailable = error instanceof WharfError && error.code === "UNAVAILABLE";
    const cause = this.#driver.failureOf(error) ?? (isUnavailable ? "other" : undefined);
    if (cause === undefined) throw error;
    const failure: StoreFailure = { operation: "read", cause, error };
    this.#onFailure(failure);
    throw new WharfError("UNAVAILABLE", failureText(failure), undefined, error);
  };
}
