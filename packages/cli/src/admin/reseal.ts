import { resolve } from "node:path";
import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { resealDefinition } from "./commands.ts";
import { splitWords } from "./words.ts";

const NEW_KEY = "new-secret-key-file";

export const run: Run<typeof resealDefinition> = async (_context, { words }) => {
  const { values, settings: others } = splitWords(words, { values: [NEW_KEY] });
  const file = values.get(NEW_KEY);
  if (file === undefined) throw new ConfigError(`admin keys reseal: --${NEW_KEY} FILE is required`);
  const settings = await readSettings(others, process.env);
  const { reseal } = await import("@wharf/server/app/admin-keys.ts");
  const sealed = await reseal(settings, resolve(file));
  console.error(`wharf: encrypted ${sealed} keys and secrets with the new key`);
  console.error(`wharf: next: ${nextStep(settings)}`);
};

function nextStep({ secretKeyFile, databaseUrl }: { secretKeyFile: string; databaseUrl: string }) {
  if (secretKeyFile === "" && databaseUrl !== "")
    return "restart every replica with --secret-key-file and the new file; the key in the database was deleted";
  const old = secretKeyFile === "" ? "secret.key of the data directory" : secretKeyFile;
  return `replace ${old} with the new file at every replica now, and keep a backup of it apart from the database`;
}
