/**
 * `npm run bench`: compares the server with reference programs that do the bare minimum of the same work.
 * Both run in the same run, so that the ratios are comparable between machines. The folder imports the
 * server and the CLI; nothing imports it.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBuilt } from "./built.ts";
import { chooseCores } from "./cores.ts";
import type { HttpJob } from "./load/http.ts";
import type { Load } from "./load/load.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { showProfiles } from "./profile.ts";
import { Program } from "./program.ts";
import { type Finding, findingOf, keep, TABLE_HEAD, tableLine } from "./report.ts";
import type { Bench } from "./row.ts";
import { rowsOf } from "./rows/rows.ts";

async function run(options: Options): Promise<void> {
  const rows = rowsOf(options).filter(({ work }) =>
    work.toLowerCase().includes(options.only.toLowerCase()),
  );
  if (rows.length === 0) {
    console.error(`no row has "${options.only}" in its name`);
    process.exitCode = 2;
    return;
  }
  const cores = chooseCores();
  console.error(cores.note);
  if (!isBuilt()) console.error("NOT built: the server runs from its sources (npm run build)");
  await using http = new Program<HttpJob, Load>("load/http.ts", cores.asking);
  const profiles = options.profile ? mkdtempSync(join(tmpdir(), "wharf-profile-")) : undefined;
  const bench: Bench = { options, cores, http, profiles };
  const findings: Finding[] = [];
  for (const row of rows) {
    console.error(`${row.work} …`);
    findings.push(findingOf(row, await row.measure(bench)));
  }
  console.log([TABLE_HEAD, ...findings.map(tableLine)].join("\n"));
  console.log("");
  for (const { work, notes } of findings) console.log(`- ${work}: ${notes.join("; ")}`);
  if (options.quick) console.log("\nQuick run: the figures only show that everything works.");
  if (profiles !== undefined) showProfiles(profiles);
  console.error(`\nsaved to ${keep(findings, options, cores)}`);
}

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exit(2);
}
await run(options);
