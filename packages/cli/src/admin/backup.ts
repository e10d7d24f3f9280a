import { resolve } from "node:path";
import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import { progressOn } from "../progress.ts";
import { terminalOf } from "../terminal/terminal.ts";
import type { backupDefinition } from "./commands.ts";
import { splitWords } from "./words.ts";

const KEY_COPY = "secret-key-copy";

export const run: Run<typeof backupDefinition> = async (_context, { words }) => {
  const { file, keyCopy, settings } = await readWords("backup", words);
  const { backUp } = await import("@wharf/server/app/admin-backup.ts");
  const { secretKey } = await showingProgress(`copying to ${file}`, (progress) =>
    backUp(settings, { file: resolve(file), secretKeyCopy: keyCopy, progress }),
  );
  console.error(`wharf: wrote and checked ${file}`);
  const next =
    keyCopy === undefined
      ? `the backup has no secret key, and cannot be used without it: keep a copy of ${secretKey} in another place`
      : `keep ${keyCopy} in another place than the backup: together they can sign any token`;
  console.error(`wharf: next: ${next}`);
};

/** The file, the copy of the key and the settings that backup and restore share. */
export async function readWords(command: string, words: readonly string[]) {
  const [first, ...rest] = words;
  if (first === undefined || first.startsWith("-"))
    throw new ConfigError(`admin ${command}: FILE is required, before any options`);
  const { values, settings } = splitWords(rest, { values: [KEY_COPY] });
  return {
    file: first,
    keyCopy: values.get(KEY_COPY),
    settings: await readSettings(settings, process.env),
  };
}

export function showingProgress<T>(
  text: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const { showsRemarks } = terminalOf(process, process.env, "auto");
  return progressOn(process.stderr, showsRemarks)(text, (step) => work(step.at));
}
