import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultWorkers } from "./workers.ts";

const GIB = 1024 ** 3;

test("workers use all cores beyond one that memory and the store permit", () => {
  const workers = (cores: number, gib: number, url = "", platform = "linux") =>
    defaultWorkers(url, { cores, memoryBytes: gib * GIB, platform });
  assert.deepEqual(
    [1, 2, 3, 4, 9, 64].map((cores) => workers(cores, 64)),
    [1, 1, 2, 3, 8, 8],
  );
  assert.deepEqual(
    [2, 4, 5, 64].map((cores) => workers(cores, 64, "postgres://db/wharf")),
    [1, 3, 4, 4],
  );
  assert.deepEqual(
    [0.25, 0.5, 1, 2].map((gib) => workers(8, gib)),
    [1, 1, 2, 4],
  );
  assert.equal(workers(8, 64, "", "win32"), 1);
});
