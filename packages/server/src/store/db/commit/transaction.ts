import type { CountChanges } from "../../resources/counts.ts";
import type { AuditEntry } from "../../tables/audit/audit-and-events.ts";
import type { Value, Writer } from "../connection.ts";
import type { GatheredTable } from "./gathered-rows.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InsertTarget } from "./insert-rows.ts";
import type { UpdateTarget } from "./update-rows.ts";

/** Work done inside a transaction. May run again after a conflict, so it must not act outside it. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** The last part of a work, after everything that its transaction gathers has been written. */
export type AtEnd = (writer: Writer) => Promise<void>;

/** A transaction that writes the counts, audit entries, gathered rows and the access version once, at its end. */
export interface Transaction extends Writer {
  readonly counts: CountChanges;
  /** Adds an entry to the audit log. */
  audit(entry: AuditEntry): void;
  /** The rows that were locked for the writes of the batch. */
  readonly held: HeldRows;
  /** Runs a statement whose result does not matter, on rows that are not held or are then updated there. */
  send(sql: string, ...params: Value[]): Promise<void>;
  /** Runs a statement that changes one row, or none; returns whether it did. */
  changeOne(sql: string, ...params: Value[]): Promise<boolean>;
  /** Inserts a row; returns false, and does nothing, if its key exists. */
  insert(target: InsertTarget, row: readonly Value[]): Promise<boolean>;
  /** Updates a row that is there, and is not held or is then updated there. */
  update(target: UpdateTarget, row: readonly Value[]): Promise<void>;
  /** Adds a row that is written at the end of the transaction, and that no work reads before. */
  gather<R>(table: GatheredTable<R>, row: R): void;
  /** Runs work at the end of the transaction, when counts agree with the rows. */
  atEnd(work: AtEnd): void;
  /** Records that this transaction changes access otherwise than by grants: sessions, identities or keys. */
  accessChanged(): void;
  /**
   * Records that this transaction changes access by the grants of an identity ("" for every identity) in one root
   * ("" for all roots).
   */
  grantsChanged(identity: string, root: string): void;
  /**
   * The access version that this transaction depends on: if it changes access, and the version has changed
   * when it commits, it runs again. It is not older than the one that the caller's request has seen.
   */
  relyOnAccess(seen: number | undefined): Promise<number>;
  /**
   * Acquires the global lock until the transaction ends: for work that must not run concurrently on two
   * replicas.
   */
  acquireLock(): Promise<void>;
  /** The number of descendants of a node in a table, including those of this transaction. */
  countBelow(table: string, node: string): Promise<number>;
}
