import type { QueryConfig, QueryResult } from "pg";
import { WharfError } from "../../../lib/errors.ts";
import type { Reader, Value, Writer } from "../connection.ts";
import { DIALECT } from "./dialect.ts";
import { isUnavailable } from "./failures.ts";
import { type LockedTables, tableLocked } from "./locked-tables.ts";

/** A connection, or a pool of them. */
export interface Queryable {
  query(config: QueryConfig): Promise<QueryResult>;
}

/**
 * Prepared statements by their SQL, numbered so that each is parsed once per connection. Never evicted:
 * connections keep a statement under its name for as long as they live.
 */
const prepared = new Map<string, { name: string; text: string }>();

/** Filters can be combined in more ways than fit in memory; statements beyond this are parsed each time. */
const MAX_STATEMENTS = 1_000;

function statement(sql: string): { name?: string; text: string } {
  const cached = prepared.get(sql);
  if (cached !== undefined) return cached;
  let parameter = 0;
  const text = sql.replaceAll("?", () => `$${++parameter}`);
  if (prepared.size >= MAX_STATEMENTS) return { text };
  const added = { name: `w${prepared.size}`, text };
  prepared.set(sql, added);
  return added;
}

function unavailable(cause: unknown): WharfError {
  return new WharfError("UNAVAILABLE", "the store cannot be reached", undefined, cause);
}

export class PostgresReader implements Reader {
  readonly dialect = DIALECT;
  readonly #target: (sql: string) => Queryable;

  constructor(target: (sql: string) => Queryable) {
    this.#target = target;
  }

  async get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await this.query(sql, params)).rows[0] as R | undefined;
  }

  async all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return (await this.query(sql, params)).rows as R[];
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return (await this.query(sql, params, { rowMode: "array" })).rows as unknown as R[];
  }

  async query(sql: string, values: Value[], options: object = {}): Promise<QueryResult> {
    try {
      return await this.#target(sql).query({ ...statement(sql), values, ...options });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throw unavailable(error);
    }
  }
}

export class PostgresWriter extends PostgresReader implements Writer {
  async run(sql: string, ...params: Value[]): Promise<number> {
    return (await this.query(sql, params)).rowCount ?? 0;
  }
}

/** Does not wait for locked tables, because all other writes would wait, too. */
export class LockAwareWriter extends PostgresWriter {
  readonly #locked: LockedTables;

  constructor(target: (sql: string) => Queryable, locked: LockedTables) {
    super(target);
    this.#locked = locked;
  }

  override async query(sql: string, values: Value[], options?: object): Promise<QueryResult> {
    if (this.#locked.blocks(sql)) throw unavailable(tableLocked());
    try {
      return await super.query(sql, values, options);
    } catch (error) {
      // It was canceled when its table was found locked. Not a WharfError: the transaction is aborted.
      if (error instanceof WharfError && this.#locked.blocks(sql)) throw tableLocked();
      throw error;
    }
  }
}
