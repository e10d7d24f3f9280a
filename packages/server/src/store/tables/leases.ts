import type { Transaction } from "../db/commit/transaction.ts";
import type { Dialect } from "../db/connection.ts";

/**
 * Leases by name: work that one process at a time does, until it stops renewing. Their times are those of the database,
 * not of the processes, whose clocks differ.
 */

/**
 * The condition under which a lease is free: it has expired, or it lasts longer than one that begins now, because a clock
 * was set back since. So work stands still for at most the length of a lease.
 */
export function isFreeLease({ now }: Dialect, expires: string, leaseMs: number): string {
  return `(${expires} < ${now} OR ${expires} > ${now} + ${leaseMs})`;
}

/** Acquires or renews a lease. Returns false while another process holds it. */
export async function takeLease(
  tx: Transaction,
  name: string,
  holder: string,
  leaseMs: number,
): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO leases (name, holder, expires) VALUES (?, ?, ${tx.dialect.now} + ${leaseMs})
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
     WHERE leases.holder = excluded.holder OR ${isFreeLease(tx.dialect, "leases.expires", leaseMs)}`,
    name,
    holder,
  );
  return changed > 0;
}

/** Renews leases that the holder still has, and returns their names. */
export async function renewLeases(
  tx: Transaction,
  names: readonly string[],
  holder: string,
  leaseMs: number,
): Promise<string[]> {
  const { now, texts } = tx.dialect;
  const rows = await tx.all<{ name: string }>(
    `UPDATE leases SET expires = ${now} + ${leaseMs} WHERE holder = ? AND name IN (${texts})
     RETURNING name`,
    holder,
    JSON.stringify(names),
  );
  return rows.map(({ name }) => name);
}

/** Ends all leases, for a server that starts alone on its store: their holders have ended. */
export async function endLeases(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM leases");
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
