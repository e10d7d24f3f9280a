import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** The owner of the sealed private keys, by their key ids. */
export const SIGNING_KEYS = "signing-keys";

export interface StoredKey {
  readonly kid: string;
  readonly created: number;
  /** When the key stops being accepted; null while it is in use. */
  readonly retires: number | null;
}

/** A key with its private half, sealed. */
export interface SealedKey extends StoredKey {
  readonly sealed: Uint8Array;
}

/**
 * All keys that are still accepted at the given time, newest first.
 *
 * @example const [current] = await readKeys(store.reader, Date.now());
 */
export function readKeys(reader: Reader, now: number): Promise<SealedKey[]> {
  return reader.all<SealedKey>(
    `SELECT kid, created, retires, sealed FROM signing_keys
     JOIN secrets ON owner = '${SIGNING_KEYS}' AND name = kid
     WHERE retires IS NULL OR retires > ? ORDER BY created DESC, kid`,
    now,
  );
}

/**
 * Adds a key and lets those before it retire at the given time; drops those that have. The private
 * half is sealed apart.
 */
export async function addKey(tx: Transaction, key: StoredKey, othersRetire: number): Promise<void> {
  await tx.run(
    "UPDATE signing_keys SET retires = ? WHERE retires IS NULL OR retires > ?",
    othersRetire,
    othersRetire,
  );
  await tx.run("DELETE FROM signing_keys WHERE retires <= ?", key.created);
  await tx.run(
    "INSERT INTO signing_keys (kid, created, retires) VALUES (?, ?, ?)",
    key.kid,
    key.created,
    key.retires,
  );
  await tx.run(
    "DELETE FROM secrets WHERE owner = ? AND name NOT IN (SELECT kid FROM signing_keys)",
    SIGNING_KEYS,
  );
  tx.accessChanged();
}
