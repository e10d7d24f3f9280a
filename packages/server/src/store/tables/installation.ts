import type { Transaction } from "../db/commit/transaction.ts";
import type { Reader } from "../db/connection.ts";
import type { Store } from "../db/store.ts";

/** Single values of the installation as a whole, shared by all replicas. */

export async function readInstallation(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = ?",
    name,
  );
  return row?.value;
}

export async function writeInstallation(store: Store, name: string, value: string): Promise<void> {
  if ((await readInstallation(store.reader, name)) === value) return;
  await store.write((tx) => replaceInstallation(tx, name, value));
}

/** Sets a value unless it is set; returns the value that is set then. */
export async function initInstallation(
  tx: Transaction,
  name: string,
  value: string,
): Promise<string> {
  const sql = "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING";
  await tx.run(sql, name, value);
  return (await readInstallation(tx, name)) ?? value;
}

/** Like readInstallation; no other transaction changes the value before this one ends. */
export async function lockInstallation(tx: Transaction, name: string): Promise<string | undefined> {
  const sql = `SELECT value FROM installation WHERE name = ? ${tx.dialect.lockShared}`;
  return (await tx.get<{ value: string }>(sql, name))?.value;
}

/** Sets or replaces a value. */
export async function replaceInstallation(
  tx: Transaction,
  name: string,
  value: string,
): Promise<void> {
  await tx.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    name,
    value,
  );
}

export async function deleteInstallation(tx: Transaction, name: string): Promise<void> {
  await tx.run("DELETE FROM installation WHERE name = ?", name);
}
