import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** The account of a person who signs in without an identity provider, by password or passkey. */
export interface LocalAccount {
  /** The uid of the person's identity. */
  readonly identity: string;
  /** In lower case: usernames are unique ignoring case. */
  readonly username: string;
  /** A PHC string; empty for accounts that have passkeys instead. */
  readonly passwordHash: string;
  /** Wrong passwords since the last right one. */
  readonly failures: number;
  /** No password is accepted before this time. */
  readonly lockedUntil: number;
}

const ACCOUNTS = `SELECT identity, username, password_hash AS "passwordHash", failures,
  locked_until AS "lockedUntil" FROM local_accounts`;

export function findAccount(reader: Reader, username: string): Promise<LocalAccount | undefined> {
  return reader.get<LocalAccount>(`${ACCOUNTS} WHERE username = ?`, username);
}

/** Which kinds of credentials somebody has here. */
export async function credentialKinds(
  reader: Reader,
): Promise<{ readonly password: boolean; readonly passkey: boolean }> {
  const isThere = async (sql: string) => (await reader.get(sql)) !== undefined;
  return {
    password: await isThere(
      "SELECT 1 AS found FROM local_accounts WHERE password_hash <> '' LIMIT 1",
    ),
    passkey: await isThere("SELECT 1 AS found FROM passkeys LIMIT 1"),
  };
}

/** The account of an identity, if it has one. */
export function accountOf(reader: Reader, identity: string): Promise<LocalAccount | undefined> {
  return reader.get<LocalAccount>(`${ACCOUNTS} WHERE identity = ?`, identity);
}

/** The account of an identity; no other transaction changes it before this one ends. */
export function findAccountForChange(
  tx: Transaction,
  identity: string,
): Promise<LocalAccount | undefined> {
  return tx.get<LocalAccount>(`${ACCOUNTS} WHERE identity = ? ${tx.dialect.lock}`, identity);
}

/** Summary of an account for operators. */
export interface AccountSummary {
  readonly username: string;
  readonly identity: string;
  readonly hasPassword: number;
  readonly passkeys: number;
  readonly sessions: number;
  readonly lockedUntil: number;
}

/** All accounts, by username. */
export function listAccounts(reader: Reader, now: number): Promise<AccountSummary[]> {
  return reader.all<AccountSummary>(
    `SELECT username, identity, CASE WHEN password_hash = '' THEN 0 ELSE 1 END AS "hasPassword",
       locked_until AS "lockedUntil",
       (SELECT count(*) FROM passkeys p WHERE p.identity = a.identity) AS passkeys,
       (SELECT count(*) FROM sessions s WHERE s.identity = a.identity AND s.expires > ?) AS sessions
     FROM local_accounts a ORDER BY username`,
    now,
  );
}

/** Adds an account; false when the username is taken. */
export async function addAccount(
  tx: Transaction,
  account: Pick<LocalAccount, "identity" | "username" | "passwordHash">,
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO local_accounts (identity, username, password_hash, failures, locked_until)
     VALUES (?, ?, ?, 0, 0) ON CONFLICT (username) DO NOTHING`,
    account.identity,
    account.username,
    account.passwordHash,
  );
  return added > 0;
}

/** Records a wrong password. */
export async function recordPasswordFailure(
  tx: Transaction,
  { identity, failures, lockedUntil }: Pick<LocalAccount, "identity" | "failures" | "lockedUntil">,
): Promise<void> {
  const sql = "UPDATE local_accounts SET failures = ?, locked_until = ? WHERE identity = ?";
  await tx.run(sql, failures, lockedUntil, identity);
}

/** Sets the password hash and resets the failures. */
export async function setPasswordHash(
  tx: Transaction,
  identity: string,
  passwordHash: string,
): Promise<void> {
  await tx.run(
    `UPDATE local_accounts SET password_hash = ?, failures = 0, locked_until = 0
     WHERE identity = ?`,
    passwordHash,
    identity,
  );
}

/** Deletes the account of an identity, if it has one. */
export async function deleteAccount(tx: Transaction, identity: string): Promise<void> {
  await tx.run("DELETE FROM local_accounts WHERE identity = ?", identity);
}

/** A passkey of a local account: its public key. */
export interface StoredPasskey {
  /** As base64url. */
  readonly credentialId: string;
  readonly identity: string;
  /** A COSE key. */
  readonly publicKey: Uint8Array;
  /** The signature counter, which never decreases. */
  readonly counter: number;
  /** Transports, separated by commas. */
  readonly transports: string;
  /** 1 when it is synced to several devices. */
  readonly backedUp: number;
  /** A label: by default the browser that created it. */
  readonly name: string;
  readonly created: number;
  readonly used: number;
}

const PASSKEYS = `SELECT credential_id AS "credentialId", identity, public_key AS "publicKey", counter,
  transports, backed_up AS "backedUp", name, created, used FROM passkeys`;
const PASSKEY = `${PASSKEYS} WHERE credential_id = ?`;

export function findPasskey(reader: Reader, id: string): Promise<StoredPasskey | undefined> {
  return reader.get<StoredPasskey>(PASSKEY, id);
}

/** Like findPasskey; no other transaction changes it before this one ends. */
export function findPasskeyForChange(
  tx: Transaction,
  id: string,
): Promise<StoredPasskey | undefined> {
  return tx.get<StoredPasskey>(`${PASSKEY} ${tx.dialect.lock}`, id);
}

/** All passkeys of an identity, oldest first. */
export function passkeysOf(reader: Reader, identity: string): Promise<StoredPasskey[]> {
  const sql = `${PASSKEYS} WHERE identity = ? ORDER BY created, credential_id`;
  return reader.all<StoredPasskey>(sql, identity);
}

/** Adds a passkey; false when its id exists. */
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

/** Renames a passkey of an identity; false when it has no such passkey. */
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
