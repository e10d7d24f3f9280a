import { resolve } from "node:path";
import type { Run } from "../command/types.ts";
import { readWords, showingProgress } from "./backup.ts";
import type { restoreDefinition } from "./commands.ts";

export const run: Run<typeof restoreDefinition> = async (_context, { words }) => {
  const { file, keyCopy, settings } = await readWords("restore", words);
  const { restore } = await import("@wharf/server/app/admin-backup.ts");
  const restored = await showingProgress(`restoring ${file}`, (progress) =>
    restore(settings, { file: resolve(file), secretKeyCopy: keyCopy, progress }),
  );
  const { secretKey, hasSecretKey } = restored;
  console.error(`wharf: checked and restored ${file}`);
  if (!hasSecretKey)
    console.error(`wharf: next: put the secret key of this backup to ${secretKey}, with mode 600`);
};
