import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/**
 * Secrets of resources, sealed before they get here, in a table of their own: rows of resources
 * never hold one.
 */

/** @example const sealed = await readSealed(reader, provider, "client_secret"); */
export async function readSealed(
  reader: Reader,
  owner: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const sql = "SELECT sealed FROM secrets WHERE owner = ? AND name = ?";
  return (await reader.get<{ sealed: Uint8Array }>(sql, owner, name))?.sealed;
}

/** Keeps a secret in place of the one before it. */
export async function writeSealed(
  tx: Transaction,
  owner: string,
  name: string,
  sealed: Uint8Array,
): Promise<void> {
  await tx.run(
    `INSERT INTO secrets (owner, name, sealed) VALUES (?, ?, ?)
     ON CONFLICT (owner, name) DO UPDATE SET sealed = excluded.sealed`,
    owner,
    name,
    sealed,
  );
}

export async function deleteSealed(tx: Transaction, owner: string, name: string): Promise<void> {
  await tx.run("DELETE FROM secrets WHERE owner = ? AND name = ?", owner, name);
}
