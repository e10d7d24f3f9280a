import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** What lets a person log in without a provider: a password here, or passkeys (passkeys.ts). */
export interface LocalAccount {
  /** The uid of the person's identity. */
  readonly identity: string;
  /** In lower case, so that two people never differ in that alone. */
  readonly username: string;
  /** As a PHC string; empty for those who have passkeys instead. */
  readonly passwordHash: string;
  /** Wrong passwords since the last right one. */
  readonly failures: number;
  /** No password is taken before this time. */
  readonly lockedUntil: number;
}

const READ = `SELECT identity, username, password_hash AS "passwordHash", failures,
  locked_until AS "lockedUntil" FROM local_accounts`;

/**
 * @example const account = await findAccount(store.reader, "ada");
 */
export function findAccount(reader: Reader, username: string): Promise<LocalAccount | undefined> {
  return reader.get<LocalAccount>(`${READ} WHERE username = ?`, username);
}

/** The account of an identity, if it has one. */
export function accountOf(reader: Reader, identity: string): Promise<LocalAccount | undefined> {
  return reader.get<LocalAccount>(`${READ} WHERE identity = ?`, identity);
}

/** The account of an identity; nobody else changes it before the transaction ends. */
export function findAccountForChange(
  tx: Transaction,
  identity: string,
): Promise<LocalAccount | undefined> {
  return tx.get<LocalAccount>(`${READ} WHERE identity = ? ${tx.dialect.lock}`, identity);
}

/**
 * Adds an account; false when the username is taken.
 *
 * @example if (!(await addAccount(tx, { identity, username, passwordHash }))) throw …
 */
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

/** Notes that a password was wrong. */
export async function recordPasswordFailure(
  tx: Transaction,
  { identity, failures, lockedUntil }: Pick<LocalAccount, "identity" | "failures" | "lockedUntil">,
): Promise<void> {
  const sql = "UPDATE local_accounts SET failures = ?, locked_until = ? WHERE identity = ?";
  await tx.run(sql, failures, lockedUntil, identity);
}

/** Sets the hash of the password, and forgives all failures. */
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
