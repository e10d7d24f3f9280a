/** Leases do not depend on the clocks of processes, and end with a server that is alone on its store. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Leases } from "../src/delivery/leases.ts";
import { databaseTime } from "../src/store/db/database-time.ts";
import type { Store } from "../src/store/db/store.ts";
import { LOG_START } from "../src/store/tables/events/event-log.ts";
import {
  addSubscriptionState,
  dueSubscriptions,
  leaseOf,
  markDue,
} from "../src/store/tables/events/subscription-states.ts";
import { takeLease as takePassLease } from "../src/store/tables/registry/passes.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

const HOUR_MS = 3_600_000;
const LEASE_MS = 60_000;

for (const kind of STORES) {
  describe(`leases on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
    });
    after(() => database.close());

    const leasesOf = (t: { after(end: () => Promise<void>): void }) => {
      const leases = new Leases(store, { leaseMs: LEASE_MS });
      t.after(() => leases.close());
      return leases;
    };
    const now = async () => (await databaseTime(store.reader)) ?? Date.now();
    const insertLease = (name: string, expires: number) =>
      store.write(async (tx) => {
        const sql = "INSERT INTO leases (name, holder, expires) VALUES (?, 'killed', ?)";
        await tx.run(sql, name, expires);
      });

    test("one that ends later than its length allows is free", async (t) => {
      await insertLease("ahead", (await now()) + HOUR_MS);
      const [leases, others] = [leasesOf(t), leasesOf(t)];
      assert.equal(await leases.acquire("ahead"), true);
      assert.equal(await others.acquire("ahead"), false, "is valid now");
    });

    test("one that has not expired is not free", async (t) => {
      await insertLease("valid", (await now()) + LEASE_MS / 2);
      assert.equal(await leasesOf(t).acquire("valid"), false);
    });

    test("a process whose clock is ahead takes none away, and does not hold its own for longer", async (t) => {
      const [leases, others] = [leasesOf(t), leasesOf(t)];
      assert.equal(await leases.acquire("held"), true);
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + HOUR_MS });
      assert.equal(await others.acquire("held"), false);
      assert.equal(await others.acquire("own"), true);
      t.mock.timers.reset();
      const sql = "SELECT expires FROM leases WHERE name = 'own'";
      const { expires } = (await store.reader.get<{ expires: number }>(sql)) ?? { expires: 0 };
      assert.ok(expires <= (await now()) + LEASE_MS, String(expires));
    });

    test("a subscription whose sender had a clock that was ahead is sent by another", async () => {
      for (const [uid, ahead] of [
        ["stuck", HOUR_MS],
        ["sent", LEASE_MS / 2],
      ] as const) {
        await store.write(async (tx) => {
          await addSubscriptionState(tx, uid, LOG_START);
          await markDue(tx, [uid]);
        });
        await insertLease(leaseOf(uid), (await now()) + ahead);
      }
      assert.deepEqual(await dueSubscriptions(store.reader, LEASE_MS, 10), ["stuck"]);
    });

    test("the same holds for reconcile passes", async (t) => {
      const acquire = (host: string, holder: string) =>
        store.write((tx) => takePassLease(tx, host, holder, LEASE_MS));
      assert.equal(await acquire("one.test", "first"), true);
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + HOUR_MS });
      assert.equal(await acquire("one.test", "second"), false);
      t.mock.timers.reset();
      const ahead = (await now()) + HOUR_MS;
      await store.write((tx) => tx.run("UPDATE registry_passes SET expires = ?", ahead));
      assert.equal(await acquire("one.test", "second"), true);
      assert.equal(await acquire("one.test", "first"), false);
    });
  });
}

test("a server that starts on SQLite ends the leases of processes before it", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  await server.terminate();
  const database = new DatabaseSync(join(server.data, "wharf.db"));
  t.after(() => database.close());
  const expires = Date.now() + LEASE_MS / 2;
  database.exec(`INSERT INTO leases (name, holder, expires) VALUES ('work', 'killed', ${expires})`);
  database.exec(`INSERT INTO registry_passes (host, holder, expires, began, last, finished)
    VALUES ('one.test', 'killed', ${expires}, 0, '', 0)`);
  await server.restart();
  const count = (table: string) =>
    database.prepare(`SELECT 1 FROM ${table} WHERE holder = 'killed' AND expires > 0`).all().length;
  assert.deepEqual([count("leases"), count("registry_passes")], [0, 0]);
});
