import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Allocates what outlives short collections, slowly at first, and prints how much fits into the young generation then. */
const PROGRAM = `
  import { setImmediate, setTimeout } from "node:timers/promises";
  import { getHeapSpaceStatistics } from "node:v8";
  import { setServerFlags } from "${import.meta.resolve("./v8-flags.ts")}";

  if (process.argv[1] === "flags") setServerFlags();
  const kept = [];
  const keep = () => {
    if (kept.length === 5_000) kept.length = 0;
    kept.push(new Array(1_000).fill(kept.length));
  };
  for (let turn = 0; turn < 160; turn++) {
    for (let i = 0; i < 12; i++) keep();
    await setTimeout(5);
  }
  const sizes = [];
  for (let turn = 0; turn < 20_000; turn++) {
    keep();
    if (turn % 100 > 0) continue;
    await setImmediate();
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    sizes.push(young.space_used_size + young.space_available_size);
  }
  // Now and then V8 adds some pages for a moment, to end a full collection first.
  console.log(Math.min(...sizes.slice(100)) / 1024 / 1024);
`;

async function youngMegabytes(...args: string[]): Promise<number> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [
    // The default depends on the memory of the machine.
    "--max-semi-space-size=32",
    ...["--input-type=module", "--eval", PROGRAM],
    ...args,
  ]);
  return Number(stdout);
}

test("a server keeps its young generation small, which V8 lets grow otherwise", async () => {
  const [bounded, unbounded] = await Promise.all([youngMegabytes("flags"), youngMegabytes()]);
  assert.ok(bounded <= 8, `${bounded} MB`);
  assert.ok(unbounded > 16, `${unbounded} MB`);
});
