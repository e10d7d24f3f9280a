import type { Value, Writer } from "../connection.ts";
import type { InsertTarget } from "./insert-rows.ts";
import type { LockedRows } from "./locked-rows.ts";
import type { ChangeKind, Changes } from "./participant.ts";
import type { UpdateTarget } from "./update-rows.ts";

/** Work done inside a transaction. May run again after a conflict, so it must not act outside it. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** The last part of a work, after all participants have written. */
export type AtEnd = (writer: Writer) => Promise<void>;

/** A transaction that writes the changes of participants and the access version once, at its end. */
export interface Transaction extends Writer {
  /** The changes of a participant by this work, to which it adds; they are written at the end of the transaction. */
  changes<C extends Changes>(kind: ChangeKind<C>): C;
  /** Changes of earlier works in the same transaction, only to be read. */
  earlierChanges<C extends Changes>(kind: ChangeKind<C>): C;
  /** The rows that were locked for the writes of the batch. */
  readonly locked: LockedRows;
  /** Runs a statement whose result does not matter, on rows that are not held or are then updated there. */
  send(sql: string, ...params: Value[]): Promise<void>;
  /** Runs a statement that changes one row, or none; returns whether it did. */
  changeOne(sql: string, ...params: Value[]): Promise<boolean>;
  /** Inserts a row; returns false, and does nothing, if its key exists. */
  insert(target: InsertTarget, row: readonly Value[]): Promise<boolean>;
  /** Updates a row that is there, and is not held or is then updated there. */
  update(target: UpdateTarget, row: readonly Value[]): Promise<void>;
  /** Runs work at the end of the transaction, when counts agree with the rows. */
  atEnd(work: AtEnd): void;
  /** Records that this transaction changes access: sessions, identities or keys, unless it is by logged grants. */
  accessChanged(by?: "grants"): void;
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
}
