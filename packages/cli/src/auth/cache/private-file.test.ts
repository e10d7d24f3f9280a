import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Worker } from "node:worker_threads";

/** Enough that commands which disturb each other are caught at it. */
const ROUNDS = 200;
const CONCURRENCY = 4;

describe("private files", () => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-private-"));
  after(() => rmSync(folder, { recursive: true }));

  /** Does something again and again, in several threads at once. */
  const all = async (statement: string) => {
    const script = `
      import { rmSync } from "node:fs";
      import { requireWritable, writeAtomically } from "${new URL("private-file.ts", import.meta.url)}";
      const folder = ${JSON.stringify(folder)};
      for (let round = 0; round < ${ROUNDS}; round++) ${statement}`;
    const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const threads = Array.from({ length: CONCURRENCY }, () => new Worker(url));
    await Promise.all(threads.map((thread) => once(thread, "exit")));
  };

  test("concurrent checks whether a folder is writable", async () => {
    await all("requireWritable(folder);");
    assert.deepEqual(readdirSync(folder), []);
  });

  test("a file is written atomically while others delete it", async () => {
    const file = join(folder, "current");
    await all(`{
      writeAtomically(${JSON.stringify(file)}, "whole", 0o600);
      rmSync(${JSON.stringify(file)}, { force: true });
    }`);
    assert.deepEqual(readdirSync(folder), []);
    await all(`writeAtomically(${JSON.stringify(file)}, "whole", 0o600);`);
    assert.equal(readFileSync(file, "utf8"), "whole");
    assert.deepEqual(readdirSync(folder), ["current"]);
  });
});
