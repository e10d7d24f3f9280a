import type { StoreCheck, StoreProblem } from "@wharf/server/app/admin-check.ts";
import { ConfigError, readSettings, type Settings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import { failed } from "../errors.ts";
import { counted } from "../output/counted.ts";
import { table } from "../output/table.ts";
import { progressOn } from "../progress.ts";
import { terminalOf } from "../terminal/terminal.ts";
import type { checkDefinition } from "./commands.ts";
import { splitWords } from "./words.ts";

export const run: Run<typeof checkDefinition> = async (_context, { words }) => {
  const own = { flags: ["repair", "blobs"], values: ["output"] };
  const { flags, values, settings: others } = splitWords(words, own);
  const output = values.get("output") ?? "table";
  if (output !== "table" && output !== "json")
    throw new ConfigError(`--output must be table or json; got ${JSON.stringify(output)}`);
  const settings = await readSettings(others, process.env);
  const rehash = flags.has("blobs");
  let found = await check(settings, rehash);
  const repairs = flags.has("repair");
  if (repairs && isOfIndexes(found.problems)) {
    await repair(settings, found.problems);
    found = await check(settings, rehash);
  }
  print(found, output);
  if (found.problems.length > 0) throw failed(summaryOf(found), nextStep(found, repairs));
};

async function check(settings: Settings, rehash: boolean): Promise<StoreCheck> {
  const { checkStore } = await import("@wharf/server/app/admin-check.ts");
  const { showsRemarks } = terminalOf(process, process.env, "auto");
  return progressOn(process.stderr, showsRemarks)("checking the store", (step) =>
    checkStore(settings, {
      rehash,
      progress: (what, done, total) => {
        step.say(what);
        step.at(done, total);
      },
    }),
  );
}

function isOfIndexes(problems: readonly StoreProblem[]): boolean {
  return problems.length > 0 && problems.every(({ kind }) => kind === "index");
}

async function repair(settings: Settings, problems: readonly StoreProblem[]): Promise<void> {
  const { rebuildIndexes } = await import("@wharf/server/app/admin-check.ts");
  const names = [...new Set(problems.map(({ name }) => name))];
  const rebuilt = await rebuildIndexes(settings, names);
  if (rebuilt.length > 0) console.error(`wharf: rebuilt ${rebuilt.join(", ")}`);
}

function print({ store, problems, orphans }: StoreCheck, output: string): void {
  if (output === "json") {
    const ok = problems.length === 0;
    console.log(JSON.stringify({ store, ok, problems, orphans }, undefined, 2));
    return;
  }
  if (orphans !== undefined && orphans.files > 0) {
    const files = counted(orphans.files, "file");
    console.error(`wharf: ${files} of the registry without a row: the server removes them`);
  }
  if (problems.length === 0) {
    console.log("ok");
    return;
  }
  const { style, width } = terminalOf(process, process.env, "auto");
  const rows = problems.map(({ kind, name, problem }) => [kind, name, problem]);
  console.log(table(["KIND", "NAME", "PROBLEM"], rows, width, style).join("\n"));
}

function summaryOf({ problems }: StoreCheck): string {
  return problems.length === 1
    ? "the store has a problem"
    : `the store has ${problems.length} problems`;
}

/** PostgreSQL's own log and tools say more. */
function isDamagedFile(problems: readonly StoreProblem[]): boolean {
  return problems.some(({ kind, name }) => kind === "database" && name === "wharf.db");
}

function nextStep({ problems }: StoreCheck, triedRepair: boolean): string {
  const has = (kind: StoreProblem["kind"]) => problems.some((problem) => problem.kind === kind);
  if (isOfIndexes(problems) && !triedRepair)
    return "only indexes are damaged: back up the data directory, then run this with --repair to rebuild them";
  if (has("table") || has("index") || isDamagedFile(problems))
    return "stop the server, keep a copy of the data directory, and restore a backup with `wharf admin restore`";
  if (has("content"))
    return "copy the files from a backup of the registry's folder, or push these images again";
  if (has("data"))
    return "the database is intact, but its content contradicts itself: restore a backup, or report this";
  return "see docs/operations.md";
}
