/**
 * `npm run bench`: compares the server with reference programs that do the bare minimum of the same work, and with
 * peers. Both run in the same run, so that the ratios are comparable between machines. The folder imports the
 * server and the CLI; nothing imports it.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isBuilt } from "./built.ts";
import { chooseCores } from "./cores.ts";
import type { Costs } from "./costs/cost.ts";
import { COST_NAME, measureCosts } from "./costs/measure-costs.ts";
import { type Finding, findingOf, problemOf } from "./finding.ts";
import type { HttpJob } from "./load/http.ts";
import type { Load } from "./load/load.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { writePages } from "./pages/pages.ts";
import { showProfiles } from "./profile.ts";
import { Program } from "./program.ts";
import { isKept, keep, keepPartial, machine, type Result, readPartial } from "./results.ts";
import type { Bench, Row } from "./row.ts";
import { sectionsOf } from "./rows/rows.ts";
import { TABLE_HEAD, tableLine } from "./table.ts";

/** The chosen rows, with the titles of their sections. */
function chosenRows(options: Options): { title: string; row: Row }[] {
  return sectionsOf(options)
    .flatMap(({ title, rows }) => rows.map((row) => ({ title, row })))
    .filter(({ row }) => isChosen(options, row.work));
}

function isChosen({ only }: Options, name: string): boolean {
  return name.toLowerCase().includes(only.toLowerCase());
}

/** Costs only count in a full run: a quick one measures them on request. */
function choosesCosts(options: Options): boolean {
  if (options.profile || (options.quick && options.only === "")) return false;
  return isChosen(options, COST_NAME);
}

function secondsSince(begun: number): number {
  return Number(((performance.now() - begun) / 1000).toFixed(1));
}

/** Beyond this, a row waits for something that does not happen. */
const MAX_ROW_MS = 30 * 60_000;

/** Rejects when a row takes too long. */
function deadline(signal: AbortSignal): Promise<never> {
  return sleep(MAX_ROW_MS, undefined, { signal, ref: false }).then(() => {
    throw new Error(`not finished after ${MAX_ROW_MS / 60_000} minutes`);
  });
}

async function measureRow(bench: Bench, title: string, row: Row): Promise<Finding> {
  const begun = performance.now();
  const finished = new AbortController();
  try {
    const measured = await Promise.race([row.measure(bench), deadline(finished.signal)]);
    return findingOf(title, row, measured, secondsSince(begun));
  } catch (error) {
    const finding = problemOf(title, row, error, secondsSince(begun));
    if (finding.state === "failed") console.error(error);
    return finding;
  } finally {
    finished.abort();
  }
}

/** Measures the chosen rows, except those that an earlier run has measured. */
async function run(options: Options, earlier: Result | undefined): Promise<void> {
  const rows = chosenRows(options);
  const hasCosts = choosesCosts(options);
  if (rows.length === 0 && !hasCosts) {
    console.error(`no row has "${options.only}" in its name`);
    process.exitCode = 2;
    return;
  }
  const facts = earlier?.machine ?? machine();
  const cores = chooseCores();
  console.error(cores.note);
  if (!isBuilt()) console.error("NOT built: the server runs from its sources (npm run build)");
  await using http = new Program<HttpJob, Load>("load/http.ts", cores.asking);
  const profiles = options.profile ? mkdtempSync(join(tmpdir(), "wharf-profile-")) : undefined;
  const bench: Bench = { options, cores, http, profiles };
  const findings: Finding[] = [];
  // As if the time between the two runs had not passed.
  const begun = performance.now() - (earlier?.took ?? 0) * 1000;
  for (const [at, { title, row }] of rows.entries()) {
    const known = measuredBefore(earlier, row);
    if (known !== undefined) {
      findings.push(known);
      continue;
    }
    console.error(`[${at + 1}/${rows.length}, ${secondsSince(begun)} s] ${row.work} …`);
    findings.push(await measureRow(bench, title, row));
    keepPartial({ machine: facts, took: secondsSince(begun), findings }, options, cores);
  }
  if (hasCosts) console.error(`[${secondsSince(begun)} s] ${COST_NAME} …`);
  const costs = hasCosts ? await costsOf(bench) : {};
  const found = { machine: facts, took: secondsSince(begun), findings, ...costs };
  show(findings);
  if (options.quick) console.log("\nQuick run: the figures only show that everything works.");
  if (profiles !== undefined) showProfiles(profiles);
  console.error(`\n${found.took} s; saved to ${keep(found, options, cores)}`);
  if (isKept(found, options)) console.error(`written: ${writePages().join(", ")}`);
  if (findings.some(({ state }) => state === "failed")) process.exitCode = 1;
}

/** The finding of an interrupted run; failed rows are measured again. */
function measuredBefore(earlier: Result | undefined, { work }: Row): Finding | undefined {
  return earlier?.findings.find((one) => one.work === work && one.state !== "failed");
}

/** The costs; without them, the findings are stored all the same. */
async function costsOf(bench: Bench): Promise<{ costs?: Costs }> {
  try {
    return { costs: await measureCosts(bench) };
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
    return {};
  }
}

function show(findings: readonly Finding[]): void {
  console.log([TABLE_HEAD, ...findings.map(tableLine)].join("\n"));
  console.log("");
  for (const { work, notes } of findings) console.log(`- ${work}: ${notes.join("; ")}`);
}

let options: Options;
let earlier: Result | undefined;
try {
  options = readOptions(process.argv.slice(2));
  if (options.resume) earlier = readPartial(options);
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exit(2);
}
if (options.list) {
  for (const { row } of chosenRows(options)) console.log(row.work);
} else await run(options, earlier);
