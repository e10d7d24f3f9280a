import type { Transaction } from "./group-commit.ts";

/** Which notifications of registries were taken in, so that one that comes twice counts once. */

/**
 * Takes note of a notification. Returns false when it was known.
 *
 * @example if (!(await firstTime(tx, host, notice.id, Date.now()))) return;
 */
export async function firstTime(
  tx: Transaction,
  host: string,
  id: string,
  time: number,
): Promise<boolean> {
  const sql = `INSERT INTO registry_notices (host, id, time) VALUES (?, ?, ?)
    ON CONFLICT (host, id) DO NOTHING`;
  return (await tx.run(sql, host, id, time)) > 0;
}

/** Forgets those that came before a time: no registry tells again what it told so long ago. */
export async function forgetNotices(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM registry_notices WHERE time < ?", before);
}
