import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import { newDatabase, session } from "./support/server/postgres.ts";

const ROWS = Array.from({ length: 12 }, (_, at) => at);
const ROUNDS = 8;

/** Each replica locks the rows in another order. */
const ORDERS = [ROWS, ROWS.toReversed(), [...ROWS.slice(6), ...ROWS.slice(0, 6)]];

/** deadlock_detected */
const DEADLOCK = "40P01";

test("replicas that write the same rows take turns instead of deadlocking", async (t) => {
  const url = await newDatabase();
  // Locks time out long before this, also on a machine that stops for a second: any deadlock is one too many.
  const name = new URL(url).pathname.slice(1);
  await (await session(t, url)).query(`ALTER DATABASE "${name}" SET deadlock_timeout = '5s'`);
  const conflicts: string[] = [];
  const open = async () => {
    const driver = await openPostgres(url);
    const isTransient = (error: unknown) => {
      if (driver.isTransient(error)) conflicts.push((error as { code: string }).code);
      return driver.isTransient(error);
    };
    return Store.open({ ...driver, isTransient }, [], { committed() {} });
  };
  const stores = await Promise.all(ORDERS.map(open));
  try {
    await stores[0]?.write(async (tx) => {
      await tx.run("CREATE TABLE shared (id integer PRIMARY KEY, writes integer NOT NULL)");
      for (const row of ROWS) await tx.run("INSERT INTO shared VALUES (?, 0)", row);
    });
    for (let round = 0; round < ROUNDS; round++) {
      const writes = stores.flatMap((store, replica) =>
        ORDERS[replica]?.map((row) =>
          store.write((tx) => tx.run("UPDATE shared SET writes = writes + 1 WHERE id = ?", row)),
        ),
      );
      await Promise.all(writes);
    }
    const rows = await stores[0]?.reader.all("SELECT writes FROM shared");
    assert.deepEqual(
      rows,
      ROWS.map(() => ({ writes: ROUNDS * stores.length })),
    );
    const deadlocks = conflicts.filter((code) => code === DEADLOCK).length;
    assert.equal(deadlocks, 0, `${deadlocks} deadlocks, ${conflicts.length} conflicts`);
  } finally {
    for (const store of stores) await store.close();
  }
});
