/**
 * `npm test`: the checks, then every test. Tests run also when a check fails, so that one run tells
 * everything.
 */
import { join } from "node:path";
import { sharePostgres } from "../packages/server/test/support/postgres.ts";
import { loudly, ROOT } from "./step.ts";

const TESTS = ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts"];

/** Tests start servers and databases; more of them side by side only wait for each other. */
const CONCURRENCY = 2;

const check = await loudly(process.execPath, join(ROOT, "scripts", "check.ts"));
await sharePostgres();
const tests = await loudly(
  process.execPath,
  "--test",
  `--test-concurrency=${CONCURRENCY}`,
  ...TESTS,
);

process.exitCode = check || tests;
