import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalRateLimits } from "../lib/scheduling/rate-limits.ts";
import { AttemptLimiter } from "./attempts.ts";

const PER_MINUTE = 100;

test("attempts are counted by client network, and by what is tried", async () => {
  let now = 0;
  const attempts = new AttemptLimiter(new LocalRateLimits(() => now));
  for (let at = 0; at < PER_MINUTE; at++)
    await attempts.count("password", `2001:db8:1:2::${at.toString(16)}`);
  const further = () => attempts.count("password", "2001:db8:1:2:ffff::1");
  await assert.rejects(further(), { code: "RESOURCE_EXHAUSTED" });
  await attempts.count("password", "2001:db8:1:3::1");
  await attempts.count("code", "2001:db8:1:2:ffff::1");
  now = 60_000;
  await further();
});
