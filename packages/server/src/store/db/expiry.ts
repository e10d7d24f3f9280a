import type { Store } from "./store.ts";

/** Rows of a table whose time is over. The column has an index. */
export interface Expiry {
  readonly table: string;
  /** When a row expires, or was written; milliseconds since 1970. */
  readonly column: string;
  /** Rows up to this time are deleted. */
  readonly until: number;
}

/**
 * Rows deleted in one transaction. Writes of callers wait for it, and SQLite blocks the event loop
 * meanwhile: a few milliseconds for the longest rows there are.
 */
export const EXPIRY_BATCH = 200;

/**
 * Deletes the oldest expired rows of a table, one batch at most, and returns how many. Replicas that
 * do so at the same time delete different rows and do not wait for each other.
 */
export function deleteExpired(store: Store, { table, column, until }: Expiry): Promise<number> {
  return store.write((tx) => {
    const { rowId, lockUnlocked } = tx.dialect;
    const sql = `DELETE FROM ${table} WHERE ${rowId} IN
      (SELECT ${rowId} FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ? ${lockUnlocked})`;
    return tx.run(sql, until, EXPIRY_BATCH);
  });
}
