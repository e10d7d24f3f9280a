import assert from "node:assert/strict";
import { test } from "node:test";
import { PullTimes } from "./pull-times.ts";

const PULL = { path: "acme/app", digest: "sha256:1", time: 100_000 };

test("a pull is due until it is recorded, and again five seconds later", () => {
  const pulls = new PullTimes();
  assert.ok(pulls.isDue(PULL));
  assert.ok(pulls.isDue(PULL), "a failed notification is sent again");
  pulls.markRecorded(PULL);
  assert.ok(!pulls.isDue(PULL));
  assert.ok(!pulls.isDue({ ...PULL, time: 104_999 }));
  assert.ok(pulls.isDue({ ...PULL, time: 105_000 }));
  assert.ok(pulls.isDue({ ...PULL, digest: "sha256:2" }));
});
