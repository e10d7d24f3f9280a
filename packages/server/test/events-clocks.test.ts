/** Deliveries follow the clock of the database, and a clock that was ahead delays them by minutes at most. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { databaseTime } from "../src/store/db/database-time.ts";
import { openStore } from "../src/store/db/open.ts";
import type { Store } from "../src/store/db/store.ts";
import {
  addDeliveries,
  DELIVERY_STATES,
  pendingDeliveries,
  writeResults,
} from "../src/store/tables/events/deliveries.ts";
import { LOG_START } from "../src/store/tables/events/event-log.ts";
import {
  addSubscriptionState,
  dueSubscriptions,
  markDue,
  readHealth,
  restFor,
  writeHealth,
} from "../src/store/tables/events/subscription-states.ts";
import { type Answer, ApiClient } from "./support/client/api-client.ts";
import { Receiver } from "./support/events/receiver.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { until } from "./support/until.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LEASE_MS = 1_000;

/** Makes all times of deliveries those of a process whose clock was an hour ahead. */
async function setBack(server: TestServer): Promise<void> {
  const store = await openStore(await testSettings(server.storeFlags), [], { committed() {} });
  await store.write(async (tx) => {
    await tx.run(`UPDATE deliveries SET next_at = next_at + ${HOUR_MS}`);
    await tx.run(`UPDATE subscription_states SET last_failure = last_failure + ${HOUR_MS},
      paused_until = paused_until + ${HOUR_MS}`);
    await tx.run(`UPDATE subscription_states SET due = due + ${HOUR_MS}
      WHERE due > 0 AND due < ${Number.MAX_SAFE_INTEGER}`);
  });
  await store.close();
}

for (const kind of STORES) {
  test(`a server whose predecessor had a clock that was ahead delivers on ${kind}`, async (t) => {
    const failing = await Receiver.start((_received, response) => {
      response.writeHead(500).end();
    });
    const throttling = await Receiver.start((_received, response) => {
      response.writeHead(429, { "retry-after": "600" }).end();
    });
    const healthy = await Receiver.start();
    const sinks = [failing, throttling, healthy];
    t.after(() => Promise.all(sinks.map((sink) => sink.stop())));
    const origins = sinks.map(({ url }) => new URL(url).origin);
    const server = await TestServer.start({
      store: kind,
      flags: ["--private-sinks", origins.join(",")],
      deliveryTimes: {
        retryDelaysMs: [MINUTE_MS, MINUTE_MS],
        lingerMs: 300,
        pollMs: 30,
        idlePollMs: 30,
      },
    });
    t.after(() => server.stop());
    const api = new ApiClient({ url: server.url, token: await server.token() });
    const org = (await api.groups.create("", { name: "org" })).uid;
    const filters = [{ glob: { type: "*.iam.group.created.*" } }];
    const uids: string[] = [];
    for (const { url: sink } of sinks)
      uids.push((await api.subscriptions.create(org, { sink, filters })).uid);
    const attempts = async (subscriptionUid: string | undefined, subject: string) => {
      const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid });
      return deliveries.find((one: Answer) => one.subject === subject)?.attempts.length;
    };

    const tried = (await api.groups.create(org, { name: "tried" })).uid;
    for (const uid of uids) await until(async () => (await attempts(uid, tried)) === 1);
    const untried = (await api.groups.create(org, { name: "untried" })).uid;
    await until(async () => (await attempts(uids[1], untried)) === 0);

    await server.terminate();
    await setBack(server);
    for (const sink of sinks) {
      sink.answer();
      sink.received.length = 0;
    }
    await server.restart();
    await failing.about(tried);
    await throttling.about(untried);
    await healthy.about((await api.groups.create(org, { name: "new" })).uid);
  });

  describe(`times of deliveries on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
    });
    after(() => database.close());

    const isWithin = (ms: number | undefined, maxMs: number) =>
      assert.ok(ms !== undefined && ms > 0 && ms <= maxMs, String(ms));

    test("a retry waits for its pause, whatever the clock of its process", async (t) => {
      const [subscription, event] = [
        "retried",
        { event: 1, eventId: "1", type: "t", subject: "s" },
      ];
      const pending = async () => (await pendingDeliveries(store.reader, subscription, 0, 1))[0];
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + HOUR_MS });
      const added = { ...event, subscription, isReplay: false, time: Date.now() };
      await store.write((tx) => addDeliveries(tx, [added]));
      const id = (await pending())?.id ?? 0;
      const result = { id, state: DELIVERY_STATES.pending, retryMs: MINUTE_MS, attempts: "[{}]" };
      await store.write((tx) => writeResults(tx, [result]));
      isWithin((await pending())?.waitMs, MINUTE_MS);
    });

    test("a subscription rests as long as it may, and wakes at once", async () => {
      const due = () => dueSubscriptions(store.reader, LEASE_MS, 10);
      const rest = (ms: number) => store.write((tx) => restFor(tx, "one", 1, ms));
      await store.write((tx) => addSubscriptionState(tx, "one", LOG_START));
      await store.write((tx) => markDue(tx, ["one"]));
      assert.deepEqual(await due(), ["one"]);
      await rest(MINUTE_MS);
      assert.deepEqual(await due(), [], "rests");
      await rest(24 * HOUR_MS);
      assert.deepEqual(await due(), [], "rests as long as it may");
      const now = (await databaseTime(store.reader)) ?? Date.now();
      const sql = "UPDATE subscription_states SET due = ? WHERE uid = 'one'";
      await store.write((tx) => tx.run(sql, now + HOUR_MS));
      assert.deepEqual(await due(), ["one"], "rests longer than it may");
      await rest(Infinity);
      assert.deepEqual(await due(), [], "has nothing to send");
      await store.write((tx) => markDue(tx, ["one"]));
      await rest(MINUTE_MS);
      assert.deepEqual(await due(), ["one"], "something was added");
    });

    test("a pause that a sink asks for holds by any clock", async (t) => {
      const times = { failingSince: 1, lastSuccess: 0, lastFailure: 0 };
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + HOUR_MS });
      await store.write(async (tx) => {
        await addSubscriptionState(tx, "paused", LOG_START);
        await writeHealth(tx, "paused", { ...times, pauseMs: MINUTE_MS });
      });
      isWithin((await readHealth(store.reader, "paused"))?.pauseMs, MINUTE_MS);
    });
  });
}
