/**
 * What both databases can do, in one shape. SQL is written once, with `?` for parameters; each
 * driver turns that into its own form.
 */

import type { FailureCause } from "./failure.ts";

export type Value = string | number | Uint8Array | null;
export type SqlRow = Record<string, Value>;

/** A place to read from. Outside a transaction every call sees all that was committed before it. */
export interface Reader {
  readonly dialect: Dialect;
  get<R extends object = SqlRow>(sql: string, ...params: Value[]): Promise<R | undefined>;
  all<R extends object = SqlRow>(sql: string, ...params: Value[]): Promise<R[]>;
  /** Rows as arrays of their columns: half the time of `all` where rows are many. */
  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]>;
}

/** An open transaction: sees its own writes. */
export interface Writer extends Reader {
  /** Returns how many rows changed. */
  run(sql: string, ...params: Value[]): Promise<number>;
}

/** The few words in which the two databases differ. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** A key column that numbers its rows. */
  readonly id: string;
  /** Text that sorts by its bytes. */
  readonly text: string;
  readonly integer: string;
  readonly blob: string;
  /** Selects the texts of a list that is given as JSON: a statement is the same for any number. */
  readonly texts: string;
  /** The same for a list of triples: `first`, `second` and `third`. */
  readonly triples: string;
  /** A text that holds a number as that number. */
  asInteger(text: string): string;
  /** Whether a parameter is a part of a text. */
  isWithin(text: string): string;
  /** Addresses a row of any table, within one statement. */
  readonly rowId: string;
  /** Locks rows that a statement selects and leaves out those that another transaction has locked. */
  readonly lockUnlocked: string;
  /** Ends the statement that makes a table whose rows are kept in the order of their key. */
  readonly withoutRowid: string;
  /** Keeps a row that was read from being deleted until the transaction ends. */
  readonly lockShared: string;
  /** Keeps a row that was read from being changed until the transaction ends. */
  readonly lock: string;
  /** Locks a text until the transaction ends; empty where there is one writer anyway. */
  readonly lockText: string;
}

/** What a driver offers to the store. */
export interface Driver {
  readonly dialect: Dialect;
  readonly reader: Reader;
  /**
   * Reads one row that many ask for at the same time. They share an answer, which is never older
   * than the question.
   */
  readShared<R extends object>(sql: string): Promise<R | undefined>;
  /** The one connection that writes; its transactions are opened by the group commit alone. */
  readonly writer: Writer;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** True for failures after which the same transaction may well succeed. */
  isTransient(error: unknown): boolean;
  /**
   * Rewrites the files of these tables, so that no copy of them holds what was deleted or changed. Not
   * for large tables, nor within a transaction.
   */
  scrub(tables: readonly string[]): Promise<void>;
  /** Why the database itself cannot be written; undefined for all other errors. */
  failureOf(error: unknown): FailureCause | undefined;
  close(): Promise<void>;
}
