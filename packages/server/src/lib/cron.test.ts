import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCron } from "./cron.ts";

const nextOf = (cron: string, after: string) =>
  new Date(parseCron(cron)?.next(Date.parse(after)) ?? Number.NaN).toISOString();

test("the next time is strictly later, and in UTC", () => {
  for (const [cron, after, next] of [
    ["30 2 * * *", "2026-11-16T02:29:59.999Z", "2026-11-16T02:30:00.000Z"],
    ["30 2 * * *", "2026-11-16T02:30:00.000Z", "2026-11-17T02:30:00.000Z"],
    ["@hourly", "2026-12-31T23:00:00Z", "2027-01-01T00:00:00.000Z"],
    ["*/15 8-9 * * 1-5", "2026-11-13T09:45:00Z", "2026-11-16T08:00:00.000Z"],
    ["0 0 29 2 *", "2026-11-16T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 * * 7", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["0 12 1,15 * 3", "2026-11-16T00:00:00Z", "2026-11-18T12:00:00.000Z"],
    ["5/20 * * * *", "2026-11-16T00:26:00Z", "2026-11-16T00:45:00.000Z"],
  ] as const)
    assert.equal(nextOf(cron, after), next, cron);
});

test("what is no schedule, or never comes, is rejected", () => {
  for (const text of [
    "",
    "daily",
    "* * * *",
    "60 * * * *",
    "* * 0 * *",
    "a * * * *",
    "5-1 * * * *",
  ])
    assert.equal(parseCron(text), undefined, text);
  assert.equal(parseCron("0 0 31 2 *"), undefined);
  assert.equal(parseCron("*/0 * * * *"), undefined);
});
