import type { Dialect, Reader, SqlRow } from "../connection.ts";
import { LockedNames, type NameLock } from "./locked-names.ts";

/** A row that a write needs: `keep` prevents its deletion by other transactions, `change` any change. */
export interface RowLock {
  readonly table: LockableTable;
  readonly uid: string;
  readonly mode: LockMode;
}

export type LockMode = "keep" | "change";

export interface LockableTable {
  readonly shape: { readonly name: string };
  /** Locks the rows whose uids are in a JSON array, in their order; returns `uid`, and what changes need. */
  lockRows(dialect: Dialect, mode: LockMode): string;
}

/** Lock of a write: a row, or the name that it gives. */
export type Lock = RowLock | NameLock;

function isName(lock: Lock): lock is NameLock {
  return "name" in lock;
}

/**
 * Rows that the writes of a batch have named, locked by one statement per table at its begin, so that no write waits
 * for its own. Batches of several replicas lock them in the same order: of tables, then of uids.
 *
 * Writes that change a locked row replace it here; other statements that change a table make its rows forgotten.
 */
export class LockedRows {
  readonly names = new LockedNames();
  readonly #undeletable = new Map<string, Set<string>>();
  readonly #changeable = new Map<string, Map<string, SqlRow>>();
  readonly #isWhole: boolean;

  /** `isWhole`: what a write of the batch has locked or inserted stays, unless the whole batch is rolled back. */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  /** Locks what is not held yet. */
  async lock(reader: Reader, locks: readonly Lock[]): Promise<void> {
    const rows = locks.filter((lock): lock is RowLock => !isName(lock));
    await Promise.all([
      this.#lockRows(reader, rows),
      this.names.lock(reader, locks.filter(isName)),
    ]);
  }

  async #lockRows(reader: Reader, locks: readonly RowLock[]): Promise<void> {
    const missing = new Map<string, { table: LockableTable; mode: LockMode; uids: Set<string> }>();
    for (const { table, uid, mode } of locks) {
      if (this.#holds(table.shape.name, uid, mode)) continue;
      const key = `${table.shape.name} ${mode}`;
      const entry = missing.get(key);
      if (entry === undefined) missing.set(key, { table, mode, uids: new Set([uid]) });
      else entry.uids.add(uid);
    }
    const inOrder = [...missing].sort(([a], [b]) => (a < b ? -1 : 1));
    await Promise.all(
      inOrder.map(async ([, { table, mode, uids }]) => {
        const sql = table.lockRows(reader.dialect, mode);
        const rows = await reader.all<SqlRow>(sql, JSON.stringify([...uids]));
        for (const row of rows) this.#add(table.shape.name, mode, row);
      }),
    );
  }

  /** Records a row that a write has found and locked for itself, so that others of the batch need not. */
  found(table: string, uid: string): void {
    if (this.#isWhole) this.#keep(table, uid);
  }

  /** Whether a row is there, and cannot be deleted by others; false if that is not known. */
  keeps(table: string, uid: string): boolean {
    return this.#holds(table, uid, "keep");
  }

  /** A row that is locked for changes, as this transaction sees it. */
  changeable(table: string, uid: string): SqlRow | undefined {
    return this.#changeable.get(table)?.get(uid);
  }

  /** Whether all these locks are held. */
  covers(locks: readonly Lock[]): boolean {
    return locks.every((lock) => {
      const table = lock.table.shape.name;
      return isName(lock)
        ? this.names.oldest(table, lock.parent, lock.name) !== undefined
        : this.#holds(table, lock.uid, lock.mode);
    });
  }

  changed(table: string, uid: string, values: SqlRow): void {
    const rows = this.#changeable.get(table);
    const row = rows?.get(uid);
    if (row !== undefined) rows?.set(uid, { ...row, ...values });
  }

  deleted(table: string, uid: string): void {
    this.#changeable.get(table)?.delete(uid);
    this.#undeletable.get(table)?.delete(uid);
  }

  /** Forgets the rows of all tables that a statement names. */
  forget(sql: string): void {
    this.names.forget(sql);
    for (const rowsByTable of [this.#undeletable, this.#changeable]) {
      for (const table of rowsByTable.keys()) if (sql.includes(table)) rowsByTable.delete(table);
    }
  }

  #holds(table: string, uid: string, mode: LockMode): boolean {
    if (this.#changeable.get(table)?.has(uid)) return true;
    return mode === "keep" && this.#undeletable.get(table)?.has(uid) === true;
  }

  #add(table: string, mode: LockMode, row: SqlRow): void {
    const uid = String(row.uid);
    if (mode === "keep") this.#keep(table, uid);
    else {
      const rows = this.#changeable.get(table) ?? new Map<string, SqlRow>();
      this.#changeable.set(table, rows.set(uid, row));
    }
  }

  #keep(table: string, uid: string): void {
    const uids = this.#undeletable.get(table) ?? new Set();
    this.#undeletable.set(table, uids.add(uid));
  }
}
