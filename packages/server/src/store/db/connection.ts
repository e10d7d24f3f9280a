/**
 * The interface of both databases. SQL is written once, with `?` for parameters; each driver translates it.
 */

import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { MutexMode } from "./commit/replica-mutex.ts";
import type { FailureCause, StoreFailure } from "./failure.ts";

export type Value = string | number | Uint8Array | null;
export type SqlRow = Record<string, Value>;

/** Reads rows. Outside a transaction every call sees everything that was committed before it. */
export interface Reader {
  readonly dialect: Dialect;
  get<R extends object = SqlRow>(sql: string, ...params: Value[]): Promise<R | undefined>;
  all<R extends object = SqlRow>(sql: string, ...params: Value[]): Promise<R[]>;
  /**
   * Rows as arrays of their columns: half the time of `all` where rows are many. Without a promise if they need not be
   * waited for; errors always reject.
   */
  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): MaybePromise<R[]>;
  /**
   * For statements whose cost is not known to be small. They do not delay others, are limited for each caller, and end
   * with the request. Absent where reads are for no request, and in transactions.
   */
  readonly costly?: Reader;
}

/** A statement, and the method of a reader that runs it. */
export interface Statement {
  readonly kind: "get" | "all" | "arrays";
  readonly sql: string;
  readonly params: readonly Value[];
}

/** Runs a statement by its method. */
export async function runStatement(
  reader: Reader,
  { kind, sql, params }: Statement,
): Promise<unknown> {
  const read = reader[kind] as (sql: string, ...params: readonly Value[]) => MaybePromise<unknown>;
  return read.call(reader, sql, ...params);
}

/** Runs costly statements beside all others. */
export interface CostlyLane {
  /** Statements that run at the same time. */
  readonly concurrency: number;
  /** Statements of one share of callers that may wait; by default, few: each of them takes long. */
  readonly maxQueuedPerShare?: number;
  /** The result of a statement that need not wait for others: it is cached, or now known to be cheap. */
  immediately?(statement: Statement): Promise<unknown> | undefined;
  /** Settles when the lane is free again: soon after the signal is aborted, whatever the statement does. */
  run(statement: Statement, signal: AbortSignal): Promise<unknown>;
}

/** An open transaction: sees its own writes. */
export interface Writer extends Reader {
  /** Returns how many rows changed. */
  run(sql: string, ...params: Value[]): Promise<number>;
}

/** The differences of the two SQL dialects. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The type of an auto-incremented primary key. */
  readonly id: string;
  /** Text that sorts by its bytes. */
  readonly text: string;
  readonly integer: string;
  readonly blob: string;
  /** The time in milliseconds since 1970 by the clock of the database, of which SQLite has none but that of the process. */
  readonly now: string;
  /** Selects the strings of a JSON array as `value`: one statement for any number. */
  readonly texts: string;
  /** The same for the integers of a JSON array. */
  readonly integers: string;
  /** Selects the tuples of a JSON array as rows of texts with these columns. */
  tuples(...columns: readonly string[]): string;
  /** Casts a text to an integer. */
  asInteger(text: string): string;
  /** Whether the parameter is a substring of a text. */
  isWithin(text: string): string;
  /** Texts that match a pattern in which `*` stands for any characters. */
  readonly glob: {
    /** Whether a text matches the parameter. */
    matches(text: string): string;
    /** The parameter of a pattern. */
    patternOf(glob: string): string;
  };
  /** The values of the terms of a kind in a `terms` column, joined by line feeds. */
  joinedTerms(column: string, kind: string): string;
  /**
   * The rows of a page with so many columns, in their order. The last column of the last row has the total; that row is
   * none of the page if its other columns are null.
   */
  counted(page: string, total: string, columns: number): string;
  /** Limits ordered rows that an index has in their order; limit and offset, together at most `maxRows`, are parameters. */
  walk(ordered: string, maxRows: number): string;
  /** Identifies a row of any table, within one statement. */
  readonly rowId: string;
  /** Locks the selected rows and skips those that another transaction has locked. */
  readonly lockUnlocked: string;
  /** Row counts of INSERT and UPDATE statements, in descending order: few, so that statements stay prepared. */
  readonly rowCounts: readonly number[];
  /** Ends the statement that creates a table clustered by its primary key. */
  readonly withoutRowid: string;
  /** Prevents the deletion of the selected rows until the transaction ends. */
  readonly lockShared: string;
  /** Prevents changes of the selected rows until the transaction ends. */
  readonly lock: string;
  /** Locks the texts of a JSON array, in its order, until the transaction ends; empty where there is only one writer. */
  readonly lockTexts: string;
}

/**
 * A connection of its own for a migration: statements run outside transactions unless it begins one, and
 * may take as long as they need.
 */
export interface Session extends Writer {
  /** Runs statements without parameters, separated by semicolons, in one round trip. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** A database driver. */
export interface Driver {
  readonly dialect: Dialect;
  readonly reader: Reader;
  readonly costly: CostlyLane;
  /** As `arrays`, for what many callers read concurrently. They share the result, which is never older than the call. */
  readShared<R extends readonly Value[]>(sql: string): MaybePromise<R[]>;
  /** The only connection that writes; only the group commit opens its transactions. */
  readonly writer: Writer;
  /** Whether statements can be sent before earlier ones are answered, and cost a round trip each otherwise. */
  readonly pipelines: boolean;
  /**
   * Begins a transaction: a batch of the group commit if it has a mode. `first` sends the first statements, behind
   * the begin where statements are pipelined. A `lenient` transaction survives the end of this process, but perhaps not
   * that of the database's machine; later ones never survive without it.
   */
  begin(mode?: MutexMode, first?: () => Promise<void>, lenient?: boolean): Promise<void>;
  commit(): Promise<void>;
  /**
   * Makes all commits before the call durable; absent where `commit` does. Reads see a commit before that. Rejects with
   * `CommitOutcomeUnknown`, also for commits on top of those whose flush has failed.
   */
  flush?(): Promise<void>;
  rollback(): Promise<void>;
  openSession(): Promise<Session>;
  /** Connections to another process, and reads that wait for one; absent without. */
  readonly load?: { readonly connections: number; readonly readsWaiting: number };
  /** Whether a transaction that failed with this error may succeed when it is retried. */
  isTransient(error: unknown): boolean;
  /**
   * Rewrites these tables, so that the files no longer contain deleted or replaced values. Not for large
   * tables, nor in a transaction.
   */
  scrub(tables: readonly string[]): Promise<void>;
  /** The failure of the database behind an error; undefined for all other errors. */
  failureOf(error: unknown): FailureCause | undefined;
  /** Throws while something fails that reads on the usual connection do not need. */
  check?(): Promise<void>;
  /** Reports failures that writes do not: failed reads, and files that were replaced. */
  observe?(listener: (failure: StoreFailure) => void): void;
  close(): Promise<void>;
}
