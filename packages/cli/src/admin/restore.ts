import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, readSettings, type Settings } from "@wharf/server/config/settings.ts";
import type { Unlock } from "@wharf/server/lib/age/age.ts";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import { showingProgress } from "./backup.ts";
import type { restoreDefinition } from "./commands.ts";
import { passphraseOf } from "./passphrase.ts";
import { splitWords } from "./words.ts";

const IDENTITY = "identity-file";

export const run: Run<typeof restoreDefinition> = async (_context, { words }) => {
  const [file, ...rest] = words;
  if (file === undefined || file.startsWith("-"))
    throw new ConfigError("admin restore: FILE is required, before any options");
  const { values, settings: others } = splitWords(rest, { values: [IDENTITY] });
  const settings = await readSettings(others, process.env);
  const unlock = await unlockOf(settings, values.get(IDENTITY));
  const { restore } = await import("@wharf/server/app/backup/restore.ts");
  const restored = await showingProgress(`restoring ${file}`, (progress) =>
    restore(settings, { file: resolve(file), unlock, progress }),
  );
  const { rows, version, time, blobs, secretKey } = restored;
  console.error(
    `wharf: restored and compared ${counted(rows, "row")} of ${time}, written by wharf ${version}`,
  );
  if (blobs > 0) {
    const expected = `${counted(blobs, "blob")} in the folder of the registry`;
    console.error(`wharf: the store expects ${expected}: wharf admin check --blobs compares them`);
  }
  if (secretKey !== "") console.error(`wharf: the secret key is in ${secretKey}`);
};

async function unlockOf(settings: Settings, identityFile?: string): Promise<Unlock> {
  if (identityFile !== undefined) return { identities: await readIdentities(identityFile) };
  const { readPassphrase } = await import("@wharf/server/app/backup/backup-lock.ts");
  const { backupPassphraseFile } = settings;
  if (backupPassphraseFile !== "") return { passphrase: readPassphrase(backupPassphraseFile) };
  const hint = "give --identity-file or --backup-passphrase-file";
  return { passphrase: await passphraseOf("the backup is encrypted", hint) };
}

/** A file as `age-keygen` writes it: one identity a line, and comments. */
async function readIdentities(file: string) {
  const { readIdentity } = await import("@wharf/server/lib/age/keys.ts");
  let lines: string[];
  try {
    lines = readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const keys = lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const identities = keys.flatMap((line) => readIdentity(line.trim()) ?? []);
  if (identities.length === 0 || identities.length < keys.length)
    throw new ConfigError(`${file} must contain identities of age (AGE-SECRET-KEY-1…)`);
  return identities;
}
