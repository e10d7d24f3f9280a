import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

export interface StoredRegistryKey {
  readonly kid: string;
  /** The private key as JSON Web Key text. */
  readonly private_jwk: string;
  /** The certificate in which registries look for the public key, as PEM. */
  readonly certificate: string;
  readonly created: number;
  /** When the key's last token has ended; null until the key is replaced. */
  readonly retires: number | null;
}

/**
 * All keys that have not retired, oldest first: those replaced lately, the one in use, the next one.
 *
 * @example const keys = await readRegistryKeys(store.reader, Date.now());
 */
export function readRegistryKeys(reader: Reader, now: number): Promise<StoredRegistryKey[]> {
  return reader.all<StoredRegistryKey>(
    `SELECT kid, private_jwk, certificate, created, retires FROM registry_keys
     WHERE retires IS NULL OR retires > ? ORDER BY created, kid`,
    now,
  );
}

/** Adds a key that waits for its turn. */
export async function addRegistryKey(tx: Transaction, key: StoredRegistryKey): Promise<void> {
  await tx.run(
    `INSERT INTO registry_keys (kid, private_jwk, certificate, created, retires)
     VALUES (?, ?, ?, ?, ?)`,
    key.kid,
    key.private_jwk,
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
  tx.accessChanged();
}
