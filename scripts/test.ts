/**
 * `npm test`: the checks, then every test but the long ones. Tests run also when a check fails, so
 * that one run reports everything. `npm run test:long` (`--long`): the tests in `test/long` alone,
 * which need minutes each: proofs of attacks, fuzzing, floods.
 */
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { sharePostgres } from "../packages/server/test/support/postgres.ts";
import { loudly, ROOT } from "./step.ts";
import { runFiles } from "./test-files.ts";

const long = process.argv.includes("--long");
const LONG_TESTS = "packages/*/test/long/*.test.ts";
/** Server tests come first: they take longest, and no processor should wait for the last one. */
const TESTS = [
  "packages/server/test/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "scripts/**/*.test.ts",
];

const LIMITS = {
  // Tests wait for servers and databases at times; one file more than processors uses those times.
  // Long ones keep their processors busy.
  atOnce: availableParallelism() + (long ? 0 : 1),
  // Many times what the longest takes where nothing else runs.
  timeoutMs: (long ? 40 : 10) * 60_000,
};

/**
 * So many files at most get a second run, alone. Whatever fails by what it does fails again there
 * (properties have fixed seeds); what fails once in many runs is shown in full, and named at the
 * end, but does not keep others from landing.
 */
const SECOND_RUNS = 2;

// Each file loads the same sources: what V8 has made of them is kept.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, "node_modules", ".cache", "tests");

const check = long ? 0 : await loudly(process.execPath, join(ROOT, "scripts", "check.ts"));
await sharePostgres();
const longFiles = globSync(LONG_TESTS, { cwd: ROOT }).sort();
const files = long ? longFiles : filesOf(TESTS).filter((file) => !longFiles.includes(file));
const begun = performance.now();
const first = await runFiles(files, LIMITS);
const again = first.failures.length <= SECOND_RUNS ? first.failures.map(({ file }) => file) : [];
if (again.length > 0) console.log(`\nOnce more, alone: ${again.join(", ")}`);
const second = await runFiles(again, { ...LIMITS, atOnce: 1 });
const failures = again.length > 0 ? second.failures : first.failures;
const seconds = ((performance.now() - begun) / 1000).toFixed(0);
console.log(`\n${first.tests} tests in ${seconds} s; ${failures.length} files failed`);
for (const { file, problem } of failures) console.log(`✖ ${file} ${problem}`);
for (const file of again) {
  if (!failures.some((failure) => failure.file === file)) {
    console.log(`! ${file} failed once: what it showed above is a fault to look for`);
  }
}

process.exitCode = check || (failures.length > 0 ? 1 : 0);

function filesOf(globs: readonly string[]): string[] {
  return [...new Set(globs.flatMap((glob) => globSync(glob, { cwd: ROOT }).sort()))];
}
