import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FaultLog } from "./fault-log.ts";
import { FileDescriptors } from "./file-descriptors.ts";

/** With a system whose descriptors run out when the test says so. */
function watched() {
  const lines: string[] = [];
  const counted: string[] = [];
  const probes: boolean[] = [];
  const system: { isExhausted: boolean; opened?: Promise<void> } = { isExhausted: false };
  const log = {
    error: (_fields: object, message: string) => lines.push(message.replace(/:.*/, "")),
    info: (_fields: object, message: string) => lines.push(message),
  };
  const descriptors = new FileDescriptors({
    faults: new FaultLog(log as never),
    metrics: {
      count: (name, labels) => counted.push(`${name} ${Object.values(labels)}`),
    },
    probe: async () => {
      const { isExhausted } = system;
      probes.push(isExhausted);
      await system.opened;
      if (isExhausted) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    },
    checkMs: 1,
    retryMs: 1,
  });
  return { descriptors, lines, counted, system, probes };
}

test("exhaustion is noticed after a new connection, logged once, and over by itself", async () => {
  const { descriptors, lines, counted, system } = watched();
  descriptors.accepted();
  await sleep(20);
  assert.deepEqual(lines, []);
  system.isExhausted = true;
  descriptors.accepted();
  while (counted.length < 3) await sleep(1);
  assert.deepEqual(lines, ["no file descriptors left"]);
  assert.equal(counted[0], "wharf_file_descriptor_errors_total open");
  system.isExhausted = false;
  while (lines.length < 2) await sleep(1);
  assert.deepEqual(lines, ["no file descriptors left", "file descriptors are available again"]);
});

test("a connection that is accepted during a check is checked, too", async () => {
  const { descriptors, lines, system, probes } = watched();
  const opened = Promise.withResolvers<void>();
  system.opened = opened.promise;
  descriptors.accepted();
  while (probes.length === 0) await sleep(1);
  system.isExhausted = true;
  descriptors.accepted();
  opened.resolve();
  while (lines.length === 0) await sleep(1);
  assert.deepEqual(lines, ["no file descriptors left"]);
});

test("an error counts if it is caused by a lack of descriptors", () => {
  const { descriptors, counted } = watched();
  descriptors.check("request", new Error("other"));
  descriptors.check("request", undefined);
  assert.deepEqual(counted, []);
  const cause = Object.assign(new Error("connect EMFILE"), { code: "EMFILE" });
  descriptors.check("request", new Error("fetch failed", { cause }));
  assert.deepEqual(counted, ["wharf_file_descriptor_errors_total request"]);
});
