/**
 * `npm test`: the checks and every test but the long ones, at the same time: one run reports
 * everything. `npm run test:long` (`--long`): the tests in `test/long` alone,
 * which take minutes: sizes, floods, races and properties. Arguments name files instead.
 */
import { chmodSync, globSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { shareBrowser } from "../packages/server/test/support/browser/browser.ts";
import { sharePostgres } from "../packages/server/test/support/server/postgres.ts";
import { scratchFolder } from "../packages/server/test/support/server/scratch-folder.ts";
import { loudly, ROOT } from "./step.ts";
import { longestFirst, readDurations, writeDurations } from "./tests/durations.ts";
import { runFiles } from "./tests/run-files.ts";

const long = process.argv.includes("--long");
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const LONG_TESTS = "packages/*/test/long/*.test.ts";
const TESTS = [
  "packages/*/test/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "scripts/**/*.test.ts",
  "bench/**/*.test.ts",
];

const LIMITS = {
  // Tests wait for browsers, processes and databases at times; more processes than processors use those
  // times. Long ones wait less, and need more memory.
  concurrency: availableParallelism() + (long ? 1 : 3),
  // These set the environment of other tests that they import, which a process does once. All others share processes:
  // loading the server takes as long as a short file.
  isAlone: (file: string) => /\/test\/long\/(more-runs|workers)\.test\.ts$/.test(file),
  // Many times what the longest takes on an idle machine.
  timeoutMs: (long ? 40 : 10) * 60_000,
};

/** Number of a failed file's error lines that are repeated at the end. */
const LINES_OF_FAILURE = 30;

process.chdir(ROOT);
const begun = performance.now();
// Every file loads the same sources: V8's compiled code is cached between processes and runs.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, "node_modules", ".cache", "tests");
// Everything that tests write goes below one folder, which is removed even if they are killed.
const scratch = scratchFolder("wharf-tests-");
process.env.TMPDIR = scratch;
// Some tests run programs as another user, who has to reach the folders below.
chmodSync(scratch, 0o711);
// Tests of the command mark here what has been run in a process of its own.
process.env.WHARF_TEST_COMMANDS = join(scratch, "commands");
mkdirSync(process.env.WHARF_TEST_COMMANDS);
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

// Beside the tests: what one of them leaves of the processors, the others use.
const check =
  long || named.length > 0 ? 0 : loudly(process.execPath, join(ROOT, "scripts", "check.ts"));
const [browser] = await Promise.all([shareBrowser(), sharePostgres()]);
const durations = readDurations(ROOT);
const { results, failures } = await runFiles(longestFirst(filesToRun(), durations), LIMITS);
for (const { file, ms } of results) durations[file] = Math.round(ms);
writeDurations(ROOT, durations);
await browser.close();

const tests = results.reduce((sum, result) => sum + result.tests, 0);
const seconds = ((performance.now() - begun) / 1000).toFixed(0);
console.log(`\n${tests} tests in ${seconds} s; ${failures.length} files failed`);
// Once more with the beginning of their errors: who sees only the end of a long log has what is needed.
for (const { file, problem, text } of failures) {
  console.log(`✖ ${file} ${problem}\n${text.split("\n").slice(0, LINES_OF_FAILURE).join("\n")}`);
}
const checked = await check;
if (checked !== 0) console.log("✖ checks failed: see above");
process.exitCode = checked || (failures.length > 0 ? 1 : 0);

function filesToRun(): string[] {
  if (named.length > 0) return named;
  const longFiles = globSync(LONG_TESTS).sort();
  if (long) return longFiles;
  const all = new Set(TESTS.flatMap((glob) => globSync(glob).sort()));
  return [...all].filter((file) => !longFiles.includes(file));
}
