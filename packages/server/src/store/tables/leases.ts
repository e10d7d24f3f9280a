import type { Transaction } from "../db/commit/transaction.ts";

/** Leases by name: work that one process at a time does, until it stops renewing. */

/** Acquires or renews a lease. Returns false while another process holds it. */
export async function takeLease(
  tx: Transaction,
  name: string,
  holder: string,
  now: number,
  expires: number,
): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO leases (name, holder, expires) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
     WHERE leases.holder = excluded.holder OR leases.expires < ?`,
    name,
    holder,
    expires,
    now,
  );
  return changed > 0;
}

/** Renews leases that the holder still has, and returns their names. */
export async function renewLeases(
  tx: Transaction,
  names: readonly string[],
  holder: string,
  expires: number,
): Promise<string[]> {
  const rows = await tx.all<{ name: string }>(
    `UPDATE leases SET expires = ? WHERE holder = ? AND name IN (${tx.dialect.texts}) RETURNING name`,
    expires,
    holder,
    JSON.stringify(names),
  );
  return rows.map(({ name }) => name);
}

export async function dropLease(tx: Transaction, name: string, holder: string): Promise<void> {
  await tx.run("DELETE FROM leases WHERE name = ? AND holder = ?", name, holder);
}

/** Whether the holder still has a lease; no other process acquires it before this transaction ends. */
export async function confirmLease(
  tx: Transaction,
  name: string,
  holder: string,
): Promise<boolean> {
  const sql = `SELECT 1 AS held FROM leases WHERE name = ? AND holder = ? ${tx.dialect.lockShared}`;
  return (await tx.get(sql, name, holder)) !== undefined;
}
