/** What a sender reads while it cannot send: counted in statements, which no machine is too slow for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Receiver } from "./support/events/receiver.ts";
import { until } from "./support/events/until.ts";
import { onEachStore } from "./support/world/world.ts";

const MAX_CONCURRENCY = 2;

/** Each wakes the sender; it also wakes by itself at the interval of `idlePollMs`. */
const ARRIVALS = 20;

/** The statements with which a sender looks for deliveries: `arrivalsOf` and `pendingDeliveries`. */
const LOOKS =
  /^SELECT arrivals FROM|FROM deliveries\s+WHERE subscription = \? AND state = 0 AND id > \?/;

onEachStore(
  "a sender whose requests are all in progress",
  (world) => {
    test("does not look for deliveries before one of them has ended", async (t) => {
      const api = world.operator();
      const [busy, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const sink = await Receiver.start(async (_received, response) => {
        if (sink.received.length === MAX_CONCURRENCY) busy.resolve();
        await released.promise;
        response.writeHead(200).end();
      });
      t.after(() => sink.stop());
      const org = await world.organization();
      const { uid } = await api.subscriptions.create(org, {
        sink: sink.url,
        maxConcurrency: MAX_CONCURRENCY,
        filters: [{ glob: { type: "*.iam.group.created.*" } }],
      });
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
  },
  { deliveryTimes: { lingerMs: 600_000, pollMs: 30, idlePollMs: 30, timeoutMs: 600_000 } },
);
