import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { Reader, Statement, Value } from "../connection.ts";
import type { CostlyReads, ReadOrigin } from "./costly-reads.ts";

/** Reads for a request. */
export class RequestReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #reader: Reader;
  readonly #reads: CostlyReads;
  readonly #origin: ReadOrigin;

  constructor(reader: Reader, reads: CostlyReads, origin: ReadOrigin) {
    this.dialect = reader.dialect;
    this.#reader = reader;
    this.#reads = reads;
    this.#origin = origin;
  }

  get costly(): Reader {
    return new CostlyReader(this.dialect, this.#reads, this.#origin);
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#reader.get<R>(sql, ...params);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#reader.all<R>(sql, ...params);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): MaybePromise<R[]> {
    return this.#reader.arrays<R>(sql, ...params);
  }
}

/** The costly reads of a request. */
class CostlyReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #reads: CostlyReads;
  readonly #origin: ReadOrigin;

  constructor(dialect: Reader["dialect"], reads: CostlyReads, origin: ReadOrigin) {
    this.dialect = dialect;
    this.#reads = reads;
    this.#origin = origin;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#read({ kind: "get", sql, params });
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#read({ kind: "all", sql, params });
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#read({ kind: "arrays", sql, params });
  }

  #read<T>(statement: Statement): Promise<T> {
    return this.#reads.read(statement, this.#origin) as Promise<T>;
  }
}
