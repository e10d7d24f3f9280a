import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

export interface StoredKey {
  readonly kid: string;
  /** The private key as JSON Web Key text. */
  readonly private_jwk: string;
  readonly created: number;
  /** When the key stops being accepted; null while it is in use. */
  readonly retires: number | null;
}

/**
 * All keys that are still accepted at the given time, newest first.
 *
 * @example const [current] = await readKeys(store.reader, Date.now());
 */
export function readKeys(reader: Reader, now: number): Promise<StoredKey[]> {
  return reader.all<StoredKey>(
    `SELECT kid, private_jwk, created, retires FROM signing_keys
     WHERE retires IS NULL OR retires > ? ORDER BY created DESC, kid`,
    now,
  );
}

/** Adds a key and lets those before it retire at the given time; drops those that have. */
export async function addKey(tx: Transaction, key: StoredKey, othersRetire: number): Promise<void> {
  await tx.run("DELETE FROM signing_keys WHERE retires <= ?", key.created);
  await tx.run("UPDATE signing_keys SET retires = ? WHERE retires IS NULL", othersRetire);
  await tx.run(
    "INSERT INTO signing_keys (kid, private_jwk, created, retires) VALUES (?, ?, ?, ?)",
    key.kid,
    key.private_jwk,
    key.created,
    key.retires,
  );
  tx.accessChanged();
}
