import type { Store } from "./store.ts";

/** The expired rows of a table. The column is indexed. */
export interface Expiry {
  readonly table: string;
  /** When a row expires, or was written; milliseconds since 1970. */
  readonly column: string;
  /** Rows up to this time are deleted. */
  readonly until: number;
  /**
   * Whether the row with the highest id stays. SQLite numbers new rows after it: without it they would get ids again
   * that cursors, streams and requests in progress have passed.
   */
  readonly keepsNewest?: boolean;
}

/**
 * Rows deleted in one transaction. Other writes wait for it, and SQLite blocks the event loop meanwhile: a
 * few milliseconds for the longest rows.
 */
export const EXPIRY_BATCH_SIZE = 200;

/**
 * Deletes a batch of the oldest expired rows of a table, and returns how many. Concurrent replicas delete
 * different rows and do not wait for each other.
 */
export function deleteExpired(
  store: Store,
  { table, column, until, keepsNewest = false }: Expiry,
): Promise<number> {
  return store.write((tx) => {
    const { rowId, lockUnlocked } = tx.dialect;
    const isOld = keepsNewest ? `AND id < (SELECT max(id) FROM ${table})` : "";
    const sql = `DELETE FROM ${table} WHERE ${rowId} IN
      (SELECT ${rowId} FROM ${table} WHERE ${column} <= ? ${isOld}
       ORDER BY ${column} LIMIT ? ${lockUnlocked})`;
    return tx.run(sql, until, EXPIRY_BATCH_SIZE);
  });
}
