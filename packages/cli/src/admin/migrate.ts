import { resolve } from "node:path";
import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import { showingProgress } from "./backup.ts";
import type { migrateDefinition } from "./commands.ts";
import { splitWords } from "./words.ts";

export const run: Run<typeof migrateDefinition> = async (_context, { words }) => {
  const { values, settings: others } = splitWords(words, { values: ["to"] });
  const to = values.get("to");
  if (to === undefined) throw new ConfigError("admin migrate: --to is required");
  const settings = await readSettings(others, process.env);
  const isUrl = /^postgres(ql)?:/.test(to);
  if (isUrl) await readSettings(["--database-url", to], {});
  const target = isUrl ? { data: "", databaseUrl: to } : { data: resolve(to), databaseUrl: "" };
  const { moveStore } = await import("@wharf/server/app/backup/move.ts");
  const { rows, secretKey } = await showingProgress("copying", (progress) =>
    moveStore(settings, target, progress),
  );
  console.error(`wharf: copied and compared ${counted(rows, "row")}`);
  const where = isUrl ? "--database-url" : `--data ${to}`;
  const key = secretKey === "" ? "" : ` and --secret-key-file ${secretKey}`;
  console.error(`wharf: next: start servers with ${where}${key}, and none on the old store`);
};
