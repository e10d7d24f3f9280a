import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RESOURCES } from "../src/app/resources.ts";
import type { Driver, Reader } from "../src/store/db/connection.ts";
import { walkSql } from "../src/store/db/postgres/short-reads.ts";
import type { Timeouts } from "../src/store/db/postgres/timeouts.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import type { Order, Range } from "../src/store/resources/query.ts";
import { readPage } from "../src/store/testing/one-range.ts";
import { postgresPlan } from "../src/store/testing/recording-reader.ts";
import { emptyDatabase } from "./support/server/postgres.ts";

const ROOT = "a".repeat(40);

const PLAN_MODE = walkSql("SELECT current_setting('plan_cache_mode') AS mode", 1);

/** A database whose connections for short pages are open. */
async function openWalks(t: TestContext, timeouts: Partial<Timeouts> = {}): Promise<Driver> {
  const driver = await openPostgres(await emptyDatabase(), timeouts);
  t.after(() => driver.close());
  for (;;) {
    const reads = Array.from({ length: 16 }, () => driver.reader.get(PLAN_MODE, 1, 0));
    const modes = (await Promise.all(reads)).map((row) => row?.mode);
    if (modes.every((mode) => mode === "force_generic_plan")) return driver;
    await sleep(20);
  }
}

test("short pages share two connections", async (t) => {
  // A busy machine must not make them look stalled.
  const driver = await openWalks(t, { tickMs: 10_000 });
  const slow = walkSql("SELECT pg_backend_pid() AS pid FROM (SELECT pg_sleep(0.02)) slept", 1);
  const reads = Array.from({ length: 12 }, () => driver.reader.get(slow, 1, 0));
  const pids = new Set((await Promise.all(reads)).map((row) => row?.pid));
  assert.ok(pids.size <= 2, `${pids.size} connections`);
});

test("pages behind one that takes long are read by other connections", async (t) => {
  const driver = await openWalks(t, { tickMs: 20, silenceMs: 200 });
  const ended: string[] = [];
  const read = (sql: string, name: string) =>
    driver.reader.get(walkSql(sql, 1), 1, 0).then(
      () => ended.push(name),
      () => ended.push(`${name} failed`),
    );
  void read("SELECT pg_sleep(10)", "long");
  await Promise.all(Array.from({ length: 8 }, () => read("SELECT 1 AS one", "short")));
  assert.deepEqual(new Set(ended), new Set(["short"]));
});

test("a short page walks the index with its order, also while there are no statistics", async (t) => {
  const { table } = RESOURCES.groups;
  const driver = await openWalks(t, { tickMs: 10_000 });
  await Store.open(driver, [table], { committed() {} });
  const explain = (ask: (reader: Reader) => Promise<unknown>) => postgresPlan(driver.reader, ask);
  const name: Order = { column: "name", descending: false };
  const created: Order = { column: "created", descending: true };
  const uid: Order = { column: "uid", descending: false };
  const cases: [Range, Order, string][] = [
    [{ everything: true }, name, "groups_by_name"],
    [{ everything: true }, created, "groups_by_created"],
    [{ childrenOf: ROOT }, name, "groups_by_parent_name"],
    [{ below: ROOT, self: true }, name, "groups_by_root_name"],
    [{ below: ROOT, self: false }, created, "groups_by_root_created"],
    [{ below: ROOT, self: true }, uid, "groups_uid_key"],
  ];
  for (const [range, order, index] of cases) {
    for (const start of [
      undefined,
      { key: order === created ? 5 : "x", id: 7, inclusive: false },
    ]) {
      const query = { range, filters: [], order, start, offset: 0, limit: 51 };
      const plan = await explain((reader) => readPage(reader, table, query, "json"));
      assert.match(plan, new RegExp(` using ${index} on groups`), plan);
      assert.doesNotMatch(plan, /Sort|Seq Scan|Bitmap/, plan);
    }
  }
});
