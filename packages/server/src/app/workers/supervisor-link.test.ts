import assert from "node:assert/strict";
import { test } from "node:test";
import { WharfError } from "../../lib/errors.ts";
import type { FromWorker, WorkerStart } from "./messages.ts";
import { SupervisorLink } from "./supervisor-link.ts";

const USES = [
  { limiter: "tries", limit: { capacity: 1, refill: 1, intervalMs: 60_000 }, key: "network" },
];

function linked() {
  const sent: FromWorker[] = [];
  const start = { worker: 1, isReplacement: false } as WorkerStart;
  return { sent, link: new SupervisorLink(start, (message) => sent.push(message)) };
}

test("a rejected use is not asked for again until its time has come", async () => {
  const { sent, link } = linked();
  const first = link.take(USES);
  link.receive({ kind: "taken", id: 1, waitMs: 60_000 }, undefined);
  assert.equal(await first, 60_000);
  const second = await link.take(USES);
  assert.ok(second > 0 && second <= 60_000, String(second));
  assert.deepEqual(sent, [{ kind: "take", id: 1, uses: USES }]);
});

test("without a supervisor, nothing is granted", async () => {
  const { link } = linked();
  const isUnavailable = (error: unknown) =>
    error instanceof WharfError && error.code === "UNAVAILABLE";
  const pending = link.take(USES);
  link.close();
  await assert.rejects(pending, isUnavailable);
  await assert.rejects(link.take(USES), isUnavailable);
});
