import type { Transaction } from "../db/commit/transaction.ts";
import type { Reader } from "../db/connection.ts";

/**
 * All sealed values, in one table: secrets of resources, private keys and the installation's own secrets.
 * No other table has secrets, except stored replies (idempotency-keys.ts), which are sealed, too. Values are encrypted
 * before they reach the store.
 */

export async function readSealed(
  reader: Reader,
  owner: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const sql = "SELECT sealed FROM secrets WHERE owner = ? AND name = ?";
  return (await reader.get<{ sealed: Uint8Array }>(sql, owner, name))?.sealed;
}

export interface SealedRow {
  readonly owner: string;
  readonly name: string;
  readonly sealed: Uint8Array;
}

export function readAllSealed(reader: Reader): Promise<SealedRow[]> {
  return reader.all<SealedRow>("SELECT owner, name, sealed FROM secrets ORDER BY owner, name");
}

/** All sealed values of some owners. */
export function readSealedOf(reader: Reader, owners: readonly string[]): Promise<SealedRow[]> {
  const listed = owners.map(() => "?").join(", ");
  return reader.all<SealedRow>(
    `SELECT owner, name, sealed FROM secrets WHERE owner IN (${listed}) ORDER BY owner, name`,
    ...owners,
  );
}

/** Sets or replaces a sealed value. */
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

export async function deleteSealedOf(tx: Transaction, owner: string): Promise<void> {
  await tx.run("DELETE FROM secrets WHERE owner = ?", owner);
}

export async function deleteAllSealed(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM secrets");
}

/** The owners of a sealed value with this name. */
export async function ownersOfSealed(reader: Reader, name: string): Promise<string[]> {
  const sql = "SELECT owner FROM secrets WHERE name = ? ORDER BY owner";
  return (await reader.all<{ owner: string }>(sql, name)).map(({ owner }) => owner);
}

/** A plain value of a store from before sealing. */
export interface UnsealedRow {
  readonly owner: string;
  readonly name: string;
  readonly value: string;
}

/** The values that an upgrade has to seal. */
export function readUnsealed(reader: Reader): Promise<UnsealedRow[]> {
  return reader.all<UnsealedRow>("SELECT owner, name, value FROM unsealed ORDER BY owner, name");
}

export async function deleteUnsealed(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM unsealed");
}

/** Makes SQLite zero deleted content; PostgreSQL tables are rewritten by `scrub`. */
export async function secureDelete(tx: Transaction, on: boolean): Promise<void> {
  if (tx.dialect.name === "sqlite") await tx.run(`PRAGMA secure_delete = ${on ? "ON" : "OFF"}`);
}
