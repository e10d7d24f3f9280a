import assert from "node:assert/strict";
import { test } from "node:test";
import type { FailureCause } from "../store/db/failure.ts";
import { FaultLog } from "./fault-log.ts";
import { storeFailures } from "./store-failures.ts";

test("each failure of the store is counted, and each cause is logged once a minute", () => {
  const lines: string[] = [];
  const counted: string[] = [];
  let time = 0;
  const log = {
    error: ({ cause, failures, err }: Readonly<Record<string, unknown>>, message: string) => {
      lines.push(`error ${cause} ${failures} ${(err as Error).message}: ${message}`);
    },
    info: ({ cause, failures }: Readonly<Record<string, unknown>>, message: string) => {
      lines.push(`info ${cause} ${failures}: ${message}`);
    },
  };
  const metrics = {
    count: (name: string, { cause }: Readonly<Record<string, string>>) => {
      counted.push(`${name} ${cause}`);
    },
  };
  const observer = storeFailures(new FaultLog(log, () => time), metrics);
  const fail = (cause: FailureCause, operation: "read" | "write" = "write") =>
    observer.failed({ operation, cause, error: new Error("why") });
  for (time = 0; time < 60_000; time += 6_000) fail("disk_full");
  fail("disk_full");
  fail("unreachable", "read");
  fail("unreachable");
  observer.recovered({ operation: "write", cause: "unreachable", error: undefined });
  fail("disk_full");
  observer.recovered({ operation: "write", cause: "disk_full", error: undefined });
  time += 60_000;
  fail("disk_full");
  const full = "the store cannot be written: its disk is full";
  assert.deepEqual(lines, [
    `error disk_full 1 why: ${full}`,
    `error disk_full 10 why: ${full}`,
    "error unreachable 1 why: the store cannot be read: it cannot be reached",
    "info unreachable 1: the store can be read and written again",
    `error disk_full 2 why: ${full}`,
  ]);
  assert.equal(counted.length, 15);
  assert.equal(counted[0], "wharf_store_errors_total disk_full");
});
