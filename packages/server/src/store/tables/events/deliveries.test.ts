import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Reader } from "../../db/connection.ts";
import { openSqlite } from "../../db/sqlite.ts";
import { Store } from "../../db/store.ts";
import { countDeliveriesOverTime } from "./deliveries.ts";

const directory = mkdtempSync(join(tmpdir(), "wharf-deliveries-"));
after(() => rmSync(directory, { recursive: true }));

test("counts of deliveries read the interval of each subscription in a covering index", async () => {
  const driver = openSqlite(join(directory, "wharf.db"));
  await Store.open(driver, [], { committed() {} });
  const { reader } = driver;
  const explaining: Reader = {
    ...{ dialect: reader.dialect, get: reader.get, arrays: reader.arrays },
    all: (sql, ...params) => reader.all(`EXPLAIN QUERY PLAN ${sql}`, ...params),
  };
  const time = { since: 0, until: 1_000, count: 10 };
  const steps = await countDeliveriesOverTime(explaining, ["a/", "a0"], time);
  const plan = (steps as readonly unknown[] as { detail: string }[]).map(({ detail }) => detail);
  const states = plan.find((one) => one.includes("subscription_states"));
  assert.match(states ?? "", /USING .*INDEX .*uid>\? AND uid<\?/);
  assert.match(
    plan.find((one) => one.includes("SEARCH deliveries")) ?? "",
    /USING COVERING INDEX \w+ \(subscription=\? AND state=\? AND time>\? AND time<\?\)/,
  );
  await driver.close();
});
