import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** The owner of the sealed private keys, by their key ids. */
export const REGISTRY_KEYS = "registry-keys";

export interface StoredRegistryKey {
  readonly kid: string;
  /** The certificate in which registries look for the public key, as PEM. */
  readonly certificate: string;
  readonly created: number;
  /** When the key's last token expires; null until the key is replaced. */
  readonly retires: number | null;
}

/** A key with its private half, sealed. */
export interface SealedRegistryKey extends StoredRegistryKey {
  readonly sealed: Uint8Array;
}

/**
 * All keys that have not retired, oldest first: those replaced lately, the one in use, the next one.
 *
 * @example const keys = await readRegistryKeys(store.reader, Date.now());
 */
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

/** Adds a key that waits for its turn. The private half is sealed apart. */
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

/** Takes a key out of use, and drops those that have retired. */
export async function retireRegistryKey(
  tx: Transaction,
  kid: string,
  retires: number,
  now: number,
): Promise<void> {
  await tx.run("DELETE FROM registry_keys WHERE retires <= ?", now);
  await tx.run("UPDATE registry_keys SET retires = ? WHERE kid = ?", retires, kid);
  await dropPrivateKeys(tx);
  tx.accessChanged();
}

/** Drops every key: the one in use, the next one and those replaced lately. */
export async function deleteRegistryKeys(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM registry_keys");
  await dropPrivateKeys(tx);
  tx.accessChanged();
}

async function dropPrivateKeys(tx: Transaction): Promise<void> {
  await tx.run(
    "DELETE FROM secrets WHERE owner = ? AND name NOT IN (SELECT kid FROM registry_keys)",
    REGISTRY_KEYS,
  );
}
