/** Tests the reads of a sender while requests are in progress: by statement, which no machine is too slow for. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Receiver } from "./support/events/receiver.ts";
import { until } from "./support/until.ts";
import { onEachStore, type World } from "./support/world/world.ts";

const MAX_CONCURRENCY = 2;

/** Each wakes the sender; it also wakes by itself at the interval of `idlePollMs`. */
const ARRIVALS = 20;

/** The statement of `pendingDeliveries`. */
const PENDING = /FROM deliveries\s+WHERE subscription = \? AND state = 0 AND id > \?/;

/** The statements with which a sender looks for deliveries: `arrivalsOf` and `pendingDeliveries`. */
const LOOKS = new RegExp(`^SELECT arrivals FROM|${PENDING.source}`);

/** A subscription whose sink does not answer before it is released, and is busy with so many requests. */
async function heldSink(t: TestContext, world: World, requests: number) {
  const [busy, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sink = await Receiver.start(async (_received, response) => {
    if (sink.received.length === requests) busy.resolve();
    await released.promise;
    response.writeHead(200).end();
  });
  t.after(() => sink.stop());
  const org = await world.organization();
  const { uid } = await world.operator().subscriptions.create(org, {
    sink: sink.url,
    maxConcurrency: MAX_CONCURRENCY,
    filters: [{ glob: { type: "*.iam.group.created.*" } }],
  });
  return { sink, busy, released, org, uid };
}

onEachStore(
  "a sender whose requests are all in progress",
  (world) => {
    test("does not look for deliveries before one of them has ended", async (t) => {
      const api = world.operator();
      const { sink, busy, released, org, uid } = await heldSink(t, world, MAX_CONCURRENCY);
      const pending = async (subject: string) => {
        const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: uid });
        return deliveries.find((one: { subject: string }) => one.subject === subject);
      };
      for (let at = 0; at < MAX_CONCURRENCY; at++) await world.group(org);
      await busy.promise;

      const reader = world.server.store?.reader;
      assert.ok(reader);
      const spies = [t.mock.method(reader, "get"), t.mock.method(reader, "all")];
      const looks = () =>
        spies
          .flatMap(({ mock }) => mock.calls.map(({ arguments: [sql] }) => sql))
          .filter((sql) => LOOKS.test(sql));
      const subjects: string[] = [];
      for (let at = 0; at < ARRIVALS; at++) {
        const subject = await world.group(org);
        subjects.push(subject);
        await until(() => pending(subject));
      }
      assert.deepEqual(looks(), []);
      assert.equal(sink.received.length, MAX_CONCURRENCY);

      released.resolve();
      for (const subject of subjects) await sink.about(subject);
      assert.notEqual(looks().length, 0, "it looks again once it can send");
    });

    test("does not repeat a request that ends while it reads deliveries", async (t) => {
      const api = world.operator();
      const { sink, busy, released, org, uid } = await heldSink(t, world, 1);
      const first = await world.group(org);
      await busy.promise;

      const reader = world.server.store?.reader;
      assert.ok(reader);
      const all = reader.all.bind(reader);
      let isFirst = true;
      t.mock.method(reader, "all", async (sql: string, ...params: never[]) => {
        const rows = await all(sql, ...params);
        // Both are pending in what was read; the first ends before the sender gets it.
        if (!PENDING.test(sql) || rows.length < 2 || !isFirst) return rows;
        isFirst = false;
        released.resolve();
        await until(async () => {
          const { health } = await api.subscriptions.get(uid);
          return health.pendingCount === "1" || undefined;
        });
        return rows;
      });
      const subjects = [first, await world.group(org)];
      await sink.about(subjects[1] as string);
      subjects.push(await world.group(org));
      await sink.about(subjects[2] as string);
      const sent = sink.received.map(({ headers }) => String(headers["ce-subject"]));
      assert.deepEqual(sent.toSorted(), subjects.toSorted());
    });
  },
  { deliveryTimes: { lingerMs: 600_000, pollMs: 30, idlePollMs: 30, timeoutMs: 600_000 } },
);
