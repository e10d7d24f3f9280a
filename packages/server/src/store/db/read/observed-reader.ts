import { WharfError } from "../../../lib/errors.ts";
import { attempt, type MaybePromise } from "../../../lib/maybe-promise.ts";
import type { Driver, Reader, Value } from "../connection.ts";
import { type StoreFailure, storeError } from "../failure.ts";

type Reads = Pick<Driver, "reader" | "costly" | "readShared">;

/** The reads of a driver, whose failures are reported. */
export function observedReads(driver: Driver, report: (failure: StoreFailure) => void): Reads {
  if (driver.observe !== undefined) {
    driver.observe(report);
    return driver;
  }
  const reader = new ObservedReader(driver, report);
  const { costly } = driver;
  return {
    reader,
    costly: {
      concurrency: costly.concurrency,
      ...(costly.maxQueuedPerShare && { maxQueuedPerShare: costly.maxQueuedPerShare }),
      run: (statement, signal) => costly.run(statement, signal).catch(reader.failed),
    },
    readShared: (sql) => attempt(() => driver.readShared<never>(sql), reader.failed),
  };
}

/** Reports failed reads of a driver that does not report them itself; callers get UNAVAILABLE with the cause. */
class ObservedReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #driver: Pick<Driver, "reader" | "failureOf">;
  readonly #report: (failure: StoreFailure) => void;

  constructor(
    driver: Pick<Driver, "reader" | "failureOf">,
    report: (failure: StoreFailure) => void,
  ) {
    this.dialect = driver.reader.dialect;
    this.#driver = driver;
    this.#report = report;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#driver.reader.get<R>(sql, ...params).catch(this.failed);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#driver.reader.all<R>(sql, ...params).catch(this.failed);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): MaybePromise<R[]> {
    return attempt(() => this.#driver.reader.arrays<R>(sql, ...params), this.failed);
  }

  /** Throws the error for callers. Errors of statements stay as they are. */
  readonly failed = (error: unknown): never => {
    const isUnavailable = error instanceof WharfError && error.code === "UNAVAILABLE";
    const cause = this.#driver.failureOf(error) ?? (isUnavailable ? "other" : undefined);
    if (cause === undefined) throw error;
    const failure: StoreFailure = { operation: "read", cause, error };
    this.#report(failure);
    throw storeError(failure);
  };
}
