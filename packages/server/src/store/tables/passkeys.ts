import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** A passkey of a local account: the half of it that may be known. */
export interface StoredPasskey {
  /** As base64url. */
  readonly credentialId: string;
  readonly identity: string;
  /** In COSE's form. */
  readonly publicKey: Uint8Array;
  /** How often it says that it was used; never goes back. */
  readonly counter: number;
  /** How it can be reached, separated by commas. */
  readonly transports: string;
  /** 1 when it lives on several devices. */
  readonly backedUp: number;
  /** What tells it from others: the browser that made it. */
  readonly name: string;
  readonly created: number;
  readonly used: number;
}

const FROM = `SELECT credential_id AS "credentialId", identity, public_key AS "publicKey", counter,
  transports, backed_up AS "backedUp", name, created, used FROM passkeys`;
const READ = `${FROM} WHERE credential_id = ?`;

/**
 * @example const passkey = await findPasskey(store.reader, response.id);
 */
export function findPasskey(reader: Reader, id: string): Promise<StoredPasskey | undefined> {
  return reader.get<StoredPasskey>(READ, id);
}

/** Like findPasskey, and nobody else changes it before the transaction ends. */
export function findPasskeyForChange(
  tx: Transaction,
  id: string,
): Promise<StoredPasskey | undefined> {
  return tx.get<StoredPasskey>(`${READ} ${tx.dialect.lock}`, id);
}

/**
 * All passkeys of an identity, oldest first.
 *
 * @example const passkeys = await passkeysOf(store.reader, account.identity);
 */
export function passkeysOf(reader: Reader, identity: string): Promise<StoredPasskey[]> {
  const sql = `${FROM} WHERE identity = ? ORDER BY created, credential_id`;
  return reader.all<StoredPasskey>(sql, identity);
}

/** Adds a passkey; false when there is one with its id. */
export async function addPasskey(tx: Transaction, passkey: StoredPasskey): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO passkeys (credential_id, identity, public_key, counter, transports, backed_up,
       name, created, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (credential_id) DO NOTHING`,
    passkey.credentialId,
    passkey.identity,
    passkey.publicKey,
    passkey.counter,
    passkey.transports,
    passkey.backedUp,
    passkey.name,
    passkey.created,
    passkey.used,
  );
  return added > 0;
}

/** Notes that a passkey was used. */
export async function recordPasskeyUse(
  tx: Transaction,
  {
    credentialId,
    counter,
    backedUp,
    used,
  }: Pick<StoredPasskey, "credentialId" | "counter" | "backedUp" | "used">,
): Promise<void> {
  const sql = "UPDATE passkeys SET counter = ?, backed_up = ?, used = ? WHERE credential_id = ?";
  await tx.run(sql, counter, backedUp, used, credentialId);
}

/** Gives a passkey of an identity another name; false when it has no such passkey. */
export async function renamePasskey(
  tx: Transaction,
  identity: string,
  id: string,
  name: string,
): Promise<boolean> {
  const sql = "UPDATE passkeys SET name = ? WHERE identity = ? AND credential_id = ?";
  return (await tx.run(sql, name, identity, id)) > 0;
}

/** Deletes one passkey of an identity; false when it has no such passkey. */
export async function deletePasskey(
  tx: Transaction,
  identity: string,
  id: string,
): Promise<boolean> {
  const sql = "DELETE FROM passkeys WHERE identity = ? AND credential_id = ?";
  return (await tx.run(sql, identity, id)) > 0;
}

/** Deletes all passkeys of an identity. */
export async function deletePasskeys(tx: Transaction, identity: string): Promise<void> {
  await tx.run("DELETE FROM passkeys WHERE identity = ?", identity);
}
