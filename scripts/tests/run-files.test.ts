import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { readSettings } from "../../packages/server/src/config/settings.ts";
import { scratchFolder } from "../../packages/server/test/support/server/scratch-folder.ts";
import { testSettings } from "../../packages/server/test/support/server/test-settings.ts";
import { ROOT } from "../step.ts";
import { runFiles } from "./run-files.ts";

test("relative paths of a test, such as the default data directory, are not in the clone", async () => {
  const folder = scratchFolder("wharf-run-files-");
  const [file, printed] = [join(folder, "one.test.mjs"), join(folder, "cwd")];
  const body = `writeFileSync(${JSON.stringify(printed)}, process.cwd())`;
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs"; import { test } from "node:test"; test("one", () => ${body});`,
  );
  const limits = { concurrency: 1, isAlone: () => false, timeoutMs: 60_000 };
  const { failures } = await runFiles([file], limits);
  assert.deepEqual(failures, []);
  assert.ok(relative(ROOT, readFileSync(printed, "utf8")).startsWith(".."));
});

test("settings of a test have a data directory of their own, on PostgreSQL, too", async () => {
  const [usual, one, other] = await Promise.all([
    readSettings([], {}),
    testSettings(["--database-url", "postgres://wharf@db.example.com/wharf"]),
    testSettings([]),
  ]);
  assert.equal(new Set([usual.data, one.data, other.data]).size, 3);
  assert.equal((await testSettings(["--data", "/srv/own"])).data, "/srv/own");
});
