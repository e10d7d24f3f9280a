import type { Transaction } from "../db/commit/transaction.ts";
import type { Reader } from "../db/connection.ts";

/** The owner of sealed private signing keys in the secrets table, named by key id. */
export const SIGNING_KEYS = "signing-keys";

export interface StoredKey {
  readonly kid: string;
  /** The name of its JSON Web Algorithm. */
  readonly algorithm: string;
  readonly created: number;
  /** When the key stops being accepted; null while it is in use. */
  readonly retires: number | null;
}

/** A key with its sealed private key. */
export interface SealedKey extends StoredKey {
  readonly sealed: Uint8Array;
}

/** The signing keys that are accepted at a time, newest first. */
export function readKeys(reader: Reader, now: number): Promise<SealedKey[]> {
  return reader.all<SealedKey>(
    `SELECT kid, algorithm, created, retires, sealed FROM signing_keys
     JOIN secrets ON owner = '${SIGNING_KEYS}' AND name = kid
     WHERE retires IS NULL OR retires > ? ORDER BY created DESC, kid`,
    now,
  );
}

/** Whether there is a signing key of an algorithm that is not going to retire. */
export async function hasCurrentKey(reader: Reader, algorithm: string): Promise<boolean> {
  const sql = "SELECT kid FROM signing_keys WHERE algorithm = ? AND retires IS NULL LIMIT 1";
  return (await reader.get(sql, algorithm)) !== undefined;
}

/** When the newest key that signs was created. */
export async function newestKeyTime(reader: Reader): Promise<number | undefined> {
  const sql = "SELECT max(created) AS created FROM signing_keys WHERE retires IS NULL";
  return (await reader.get<{ created: number | null }>(sql))?.created ?? undefined;
}

/** Retires the signing keys of an algorithm, or all, at the given time, unless they retire earlier. */
export async function retireKeys(
  tx: Transaction,
  algorithm: string | undefined,
  time: number,
): Promise<void> {
  const sql = "UPDATE signing_keys SET retires = ? WHERE (retires IS NULL OR retires > ?)";
  if (algorithm === undefined) await tx.run(sql, time, time);
  else await tx.run(`${sql} AND algorithm = ?`, time, time, algorithm);
  tx.accessChanged();
}

/** Adds signing keys and deletes retired ones. The private keys are sealed in the secrets table. */
export async function addKeys(tx: Transaction, keys: readonly StoredKey[]): Promise<void> {
  for (const { kid, algorithm, created, retires } of keys) {
    await tx.run("DELETE FROM signing_keys WHERE retires <= ?", created);
    const sql = "INSERT INTO signing_keys (kid, algorithm, created, retires) VALUES (?, ?, ?, ?)";
    await tx.run(sql, kid, algorithm, created, retires);
  }
  await deletePrivateKeys(tx, SIGNING_KEYS, "signing_keys");
  tx.accessChanged();
}

/** The owner of sealed private registry keys in the secrets table, named by key id. */
export const REGISTRY_KEYS = "registry-keys";

export interface StoredRegistryKey {
  readonly kid: string;
  /** The certificate with the public key that registries trust, as PEM. */
  readonly certificate: string;
  readonly created: number;
  /** When the key's last token expires; null until the key is replaced. */
  readonly retires: number | null;
}

/** A key with its sealed private key. */
export interface SealedRegistryKey extends StoredRegistryKey {
  readonly sealed: Uint8Array;
}

/** The registry keys that have not retired, oldest first: recently replaced, current, next. */
export function readRegistryKeys(reader: Reader, now: number): Promise<SealedRegistryKey[]> {
  return reader.all<SealedRegistryKey>(
    `SELECT kid, certificate, created, retires, sealed FROM registry_keys
     JOIN secrets ON owner = '${REGISTRY_KEYS}' AND name = kid
     WHERE retires IS NULL OR retires > ? ORDER BY created, kid`,
    now,
  );
}

export async function hasRegistryKeys(reader: Reader): Promise<boolean> {
  return (await reader.get("SELECT kid FROM registry_keys LIMIT 1")) !== undefined;
}

/** Adds the next key. Its private key is sealed in the secrets table. */
export async function addRegistryKey(tx: Transaction, key: StoredRegistryKey): Promise<void> {
  await tx.run(
    "INSERT INTO registry_keys (kid, certificate, created, retires) VALUES (?, ?, ?, ?)",
    key.kid,
    key.certificate,
    key.created,
    key.retires,
  );
  tx.accessChanged();
}

/** Retires a key at a time, and deletes retired ones. */
export async function retireRegistryKey(
  tx: Transaction,
  kid: string,
  retires: number,
  now: number,
): Promise<void> {
  await tx.run("DELETE FROM registry_keys WHERE retires <= ?", now);
  await tx.run("UPDATE registry_keys SET retires = ? WHERE kid = ?", retires, kid);
  await deletePrivateKeys(tx, REGISTRY_KEYS, "registry_keys");
  tx.accessChanged();
}

/** Deletes every key: recently replaced, current and next. */
export async function deleteRegistryKeys(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM registry_keys");
  await deletePrivateKeys(tx, REGISTRY_KEYS, "registry_keys");
  tx.accessChanged();
}

/** Deletes the private keys of keys that are gone. */
async function deletePrivateKeys(tx: Transaction, owner: string, table: string): Promise<void> {
  const sql = `DELETE FROM secrets WHERE owner = ? AND name NOT IN (SELECT kid FROM ${table})`;
  await tx.run(sql, owner);
}
