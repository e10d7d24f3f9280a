import { readFileSync } from "node:fs";
import { ConfigError, type Settings } from "../../config/settings.ts";
import type { Lock } from "../../lib/age/age.ts";
import { readRecipient } from "../../lib/age/keys.ts";

type LockSettings = Pick<Settings, "backupRecipients" | "backupPassphraseFile">;

/** Encryption of backups, by the settings; undefined without any. */
export function lockOf({ backupRecipients, backupPassphraseFile }: LockSettings): Lock | undefined {
  if (backupPassphraseFile !== "") return { passphrase: readPassphrase(backupPassphraseFile) };
  if (backupRecipients.length === 0) return undefined;
  return { recipients: backupRecipients.flatMap((recipient) => readRecipient(recipient) ?? []) };
}

/** A passphrase that is guessed opens everything, and there is no limit to guesses. */
const MIN_PASSPHRASE_LENGTH = 12;

export function passphraseProblem(passphrase: string): string | undefined {
  return passphrase.length < MIN_PASSPHRASE_LENGTH
    ? `the passphrase needs at least ${MIN_PASSPHRASE_LENGTH} characters`
    : undefined;
}

/** The first line of the file. */
export function readPassphrase(file: string): string {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const passphrase = content.split(/\r?\n/, 1)[0] ?? "";
  const problem = passphraseProblem(passphrase);
  if (problem !== undefined) throw new ConfigError(`${file}: ${problem}`);
  return passphrase;
}
