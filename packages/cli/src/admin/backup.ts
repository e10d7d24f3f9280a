import { resolve } from "node:path";
import { ConfigError, readSettings, type Settings } from "@wharf/server/config/settings.ts";
import type { Lock } from "@wharf/server/lib/age/age.ts";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import { progressOn } from "../progress.ts";
import { terminalOf } from "../terminal/terminal.ts";
import type { backupDefinition } from "./commands.ts";
import { newPassphrase } from "./passphrase.ts";

export const run: Run<typeof backupDefinition> = async (_context, { words }) => {
  const { file, settings } = await readWords(words);
  if (file === undefined && settings.backupDir === "")
    throw new ConfigError("admin backup: FILE is required, before any options, or --backup-dir");
  const { lockOf } = await import("@wharf/server/app/backup/backup-lock.ts");
  const lock = lockOf(settings) ?? (await promptedLock());
  const written = await showingProgress("backing up", async (progress) => {
    if (file !== undefined) {
      const { backUp } = await import("@wharf/server/app/backup/back-up.ts");
      return { file, ...(await backUp(settings, { file: resolve(file), lock, progress })) };
    }
    const { addBackup } = await import("@wharf/server/app/backup/backup-directory.ts");
    return addBackup(settings, settings, lock, progress);
  });
  console.error(`wharf: wrote and checked ${written.file}: ${counted(written.rows, "row")}`);
  console.error(`wharf: next: ${nextStep(lock)}`);
};

async function promptedLock(): Promise<Lock> {
  const missing = "a backup contains the secret key: name who can open it";
  const hint = "give --backup-recipients or --backup-passphrase-file";
  return { passphrase: await newPassphrase(missing, hint) };
}

function nextStep(lock: Lock): string {
  return "passphrase" in lock
    ? "store the passphrase separately; the backup cannot be decrypted without it"
    : "store the private key of a recipient separately; the backup cannot be decrypted without it";
}

/** The file, if the first word is one, and the settings. */
export async function readWords(
  words: readonly string[],
): Promise<{ file: string | undefined; settings: Settings }> {
  const [first, ...rest] = words;
  const hasFile = first !== undefined && !first.startsWith("-");
  const settings = await readSettings(hasFile ? rest : words, process.env);
  return { file: hasFile ? first : undefined, settings };
}

export function showingProgress<T>(
  text: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const { showsRemarks } = terminalOf(process, process.env, "auto");
  return progressOn(process.stderr, showsRemarks)(text, (step) => work(step.at));
}
