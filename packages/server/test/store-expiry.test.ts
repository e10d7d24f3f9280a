import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expiriesAt, Retention } from "../src/engine/retention.ts";
import { deleteExpired, EXPIRY_BATCH_SIZE } from "../src/store/db/expiry.ts";
import type { Store } from "../src/store/db/store.ts";
import { addDeliveries } from "../src/store/tables/events/deliveries.ts";
import {
  addTicket,
  deleteTicketsOf,
  readTicket,
  rewriteTicket,
} from "../src/store/tables/login/tickets.ts";
import { createEarlierStore } from "./support/server/earlier-store.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const DAY_MS = 24 * 3_600_000;

for (const kind of STORES) {
  describe(`rows that expire, on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
    });
    after(() => database.close());

    const addTickets = (count: number, expires: number, prefix = "t") =>
      store.write(async (tx) => {
        for (let at = 0; at < count; at++) {
          const secret = `${prefix}-${expires}-${at}`;
          const ticket = { purpose: "code", secret, payload: {}, identity: "" };
          await addTicket(tx, { ...ticket, expires });
        }
      });
    const addAudit = (times: readonly number[]) =>
      store.write(async (tx) => {
        for (const time of times) {
          const sql = `INSERT INTO audit (time, actor, method, resource, request_id, remote_address,
            user_agent, code, detail) VALUES (?, '', 'm', '', '', '', '', 0, '')`;
          await tx.run(sql, time);
        }
      });
    const addEvents = (times: readonly number[]) =>
      store.write(async (tx) => {
        for (const time of times) {
          const sql = `INSERT INTO events (event_id, time, type, subject, group_uid, actor,
            body_type, body) VALUES ('e', ?, '', '', '', '', '', '')`;
          await tx.run(sql, time);
        }
      });
    const count = async (table: string) => {
      const row = await store.reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
      return Number(row?.n);
    };

    test("are deleted in batches, the oldest first, and no others", async () => {
      await addTickets(EXPIRY_BATCH_SIZE + 50, 1_000);
      await addTickets(20, 2_000);
      await addTickets(5, 9_000);
      const expiry = { table: "tickets", column: "expires", until: 2_000 };
      assert.equal(await deleteExpired(store, expiry), EXPIRY_BATCH_SIZE);
      const left = await store.reader.all<{ expires: number }>("SELECT expires FROM tickets");
      assert.equal(left.filter(({ expires }) => Number(expires) === 1_000).length, 50);
      assert.equal(await deleteExpired(store, expiry), 70);
      assert.equal(await deleteExpired(store, expiry), 0);
      assert.equal(await count("tickets"), 5);
      await deleteExpired(store, { ...expiry, until: 9_000 });
    });

    test("leave the newest event and delivery, after which ids continue", async () => {
      const addDelivery = (event: number) =>
        store.write((tx) => addDeliveries(tx, [{ ...DELIVERY, event, time: 1_000 }]));
      const ids = async (table: string) =>
        (await store.reader.all<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`)).map(
          ({ id }) => id,
        );
      await addEvents([3_000, 1_000, 2_000]);
      for (const event of await ids("events")) await addDelivery(event);
      const newest = [(await ids("events")).at(-1), (await ids("deliveries")).at(-1)];
      for (const expiry of expiriesAt(KEEP_A_YEAR, Date.now())) await deleteExpired(store, expiry);
      assert.deepEqual([await ids("events"), await ids("deliveries")], [[newest[0]], [newest[1]]]);
      await addEvents([Date.now()]);
      await addDelivery(0);
      for (const [at, table] of ["events", "deliveries"].entries()) {
        const [kept, added = 0] = await ids(table);
        assert.equal(kept, newest[at]);
        assert.ok(added > (kept ?? 0), table);
        await store.write((tx) => tx.run(`DELETE FROM ${table}`));
      }
    });

    test("are found by an index, not by reading the table", async () => {
      for (const { table, column, until } of expiriesAt(KEEP_A_YEAR, Date.now())) {
        const sql = `SELECT 1 FROM ${table} WHERE ${column} <= ${until} ORDER BY ${column} LIMIT 9`;
        assert.match(await planOf(store, sql), /_by_(expires|time|day)/, table);
      }
      for (const where of ["identity = 'x'", "network = 'x' AND expires > 1"]) {
        const plan = await planOf(store, `SELECT 1 FROM tickets WHERE ${where}`);
        assert.match(plan, /tickets_by_(identity|network)/, where);
      }
    });

    test("are deleted by two replicas at the same time, each once", async () => {
      const other = await database.store();
      const expiry = { table: "tickets", column: "expires", until: 5_000 };
      await addTickets(3 * EXPIRY_BATCH_SIZE, 5_000, "shared");
      await addTickets(1, 6_000, "shared");
      let deleted = 0;
      for (let round = 0; round < 100 && deleted < 3 * EXPIRY_BATCH_SIZE; round++) {
        const both = [deleteExpired(store, expiry), deleteExpired(other, expiry)];
        for (const one of await Promise.all(both)) deleted += one;
      }
      assert.equal(deleted, 3 * EXPIRY_BATCH_SIZE);
      assert.equal(await count("tickets"), 1);
      await deleteExpired(store, { ...expiry, until: 6_000 });
    });

    test("are deleted in the background, as the settings say", async () => {
      const now = Date.now();
      await addTickets(2 * EXPIRY_BATCH_SIZE + 1, now - 1);
      await addTickets(1, now + DAY_MS);
      await addAudit([now - 3_650 * DAY_MS, now]);
      await addEvents([now - 400 * DAY_MS, now - 366 * DAY_MS, now - 364 * DAY_MS, now]);
      const counted = new Map<string, number>();
      const metrics = {
        count: (_name: string, { table = "" }: Readonly<Record<string, string>>, by = 1) => {
          counted.set(table, (counted.get(table) ?? 0) + by);
        },
      };
      const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };
      const retention = new Retention({ store, settings: KEEP_A_YEAR, metrics, log });
      retention.start();
      while ((await count("events")) > 2) await sleep(50);
      await retention.stop();
      assert.equal(await count("tickets"), 1);
      assert.equal(await count("audit"), 2, "the audit log has its own retention");
      assert.deepEqual(Object.fromEntries(counted), {
        tickets: 2 * EXPIRY_BATCH_SIZE + 1,
        events: 2,
      });
    });

    test("tickets of a user are deleted by subject, whatever else they contain", async () => {
      const expires = Date.now() + DAY_MS;
      const [ada, bob] = ["a".repeat(40), "b".repeat(40)];
      const payload = { person: { identity: ada } };
      await store.write(async (tx) => {
        await addTicket(tx, { purpose: "code", secret: "1", payload, expires, identity: ada });
        await addTicket(tx, { purpose: "device", secret: "2", payload, expires, identity: "" });
        await addTicket(tx, { purpose: "device", secret: "3", payload, expires, identity: "" });
        await addTicket(tx, { purpose: "code", secret: "4", payload, expires, identity: bob });
        await rewriteTicket(tx, { purpose: "device", secret: "2", payload, identity: ada });
        await deleteTicketsOf(tx, ada);
        await deleteTicketsOf(tx, "");
      });
      const found: string[] = [];
      for (const [purpose, secret] of [
        ["code", "1"],
        ["device", "2"],
        ["device", "3"],
        ["code", "4"],
      ] as const) {
        if (await readTicket(store.reader, purpose, secret, Date.now())) found.push(secret);
      }
      assert.deepEqual(found, ["3", "4"]);
    });
  });

  test(`a store of the first release is migrated, on ${kind}`, async (t) => {
    const database = await NewDatabase.of(kind);
    t.after(() => database.close());
    const driver = await database.connect();
    const { writer } = driver;
    await driver.begin();
    await createEarlierStore(driver);
    const sql = "INSERT INTO tickets (digest, purpose, payload, expires) VALUES (?, ?, ?, ?)";
    await writer.run(sql, "1", "setup", "{}", 9e12);
    await writer.run(sql, "2", "reset", '{"identity":"abc","username":"ada"}', 9e12);
    await writer.run(sql, "3", "login", '{"person":{"identity":"abc"}}', 9e12);
    await driver.commit();
    const store = await database.store(driver);
    const rows = await store.reader.all("SELECT digest, identity FROM tickets ORDER BY digest");
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { digest: "1", identity: "" },
        { digest: "2", identity: "abc" },
      ],
    );
  });
}

const KEEP_A_YEAR = { eventRetentionDays: 365 };

const DELIVERY = {
  subscription: "s",
  eventId: "e",
  type: "t",
  subject: "s",
  isReplay: false,
} as const;

/** The query plan of a statement, preferring indexes as it does for tables that are not empty. */
async function planOf({ reader }: Store, sql: string): Promise<string> {
  const explain = reader.dialect.name === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  return JSON.stringify(await reader.all(`${explain} ${sql}`));
}
