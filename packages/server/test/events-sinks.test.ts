/** Sinks that fail: retries, order, and what happens to the subscription. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { type Answering, Receiver } from "./support/events/receiver.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

/** A request that a busy machine delays must not count as failed: it would be sent again. */
const TIMES = {
  // Whatever arrives while a sender lingers is sent at once.
  lingerMs: 600_000,
  retryDelaysMs: [10, 20, 30],
  pollMs: 30,
  idlePollMs: 30,
  timeoutMs: 60_000,
};

const PENDING = "DELIVERY_STATE_PENDING";
const DELIVERED = "DELIVERY_STATE_DELIVERED";
const FAILED = "DELIVERY_STATE_FAILED";
const DISABLED = "SUBSCRIPTION_STATE_DISABLED";

const status =
  (code: number, headers = {}): Answering =>
  (_received, response) => {
    response.writeHead(code, headers).end(`answer ${code}`);
  };

onEachStore(
  "sinks that fail",
  (world) => {
    let api: ApiClient;
    const receivers: Receiver[] = [];
    before(() => {
      api = world.operator();
    });
    after(() => Promise.all(receivers.map((one) => one.stop())));

    const receiver = async (answer?: Answering) => {
      const made = await Receiver.start(answer);
      receivers.push(made);
      return made;
    };

    /** A subscription to the events of groups in an organization of its own. */
    const subscribed = async (sink: string, more: object = {}) => {
      const org = await world.organization();
      const filters = [{ glob: { type: "*.iam.group.created.*" } }];
      const { uid } = await api.subscriptions.create(org, { sink, filters, ...more });
      return { org, uid };
    };

    const deliveriesOf = async (subscriptionUid: string): Promise<Answer[]> =>
      (await api.deliveries.listDeliveries({ subscriptionUid })).deliveries;

    /** Waits for the only delivery in a state. */
    const delivery = (uid: string, state: string): Promise<Answer> =>
      until(async () => (await deliveriesOf(uid)).find((one) => one.state === state));

    test("a failed attempt is repeated until it succeeds, and the log has all attempts", async () => {
      let count = 0;
      const sink = await receiver((received, response) => {
        count += 1;
        return status(count < 3 ? 500 : 204)(received, response);
      });
      const { org, uid } = await subscribed(sink.url);
      const group = await world.group(org);
      const { attempts, subject, type } = await delivery(uid, DELIVERED);
      assert.deepEqual([subject, type], [group, "iam.group.created.v1"]);
      assert.deepEqual(
        attempts.map((one: Answer) => [one.status, one.response]),
        [
          [500, "answer 500"],
          [500, "answer 500"],
          [204, ""],
        ],
      );
      assert.equal(new Set(sink.received.map(({ headers }) => headers["ce-id"])).size, 1);
      const { health } = await api.subscriptions.get(uid);
      assert.ok(health.lastSuccessTime);
      assert.ok(health.lastFailureTime);
      assert.equal(health.failingSince, undefined);
      assert.equal(health.pendingCount, "0");
      const { subscriptions } = await api.subscriptions.list({ uidp: { ids: [uid] } });
      assert.deepEqual(subscriptions[0].health, health, "lists have it, too");
    });

    test("after the last attempt a delivery has failed, and can be requested again", async () => {
      const sink = await receiver(status(500));
      const { org, uid } = await subscribed(sink.url);
      await world.group(org);
      const failed = await delivery(uid, FAILED);
      assert.equal(failed.attempts.length, 4);
      sink.answer();
      const { createTime: since } = await api.subscriptions.get(uid);
      const request = { subscriptionUid: uid, since, onlyFailed: true };
      assert.equal((await api.deliveries.redeliverEvents(request)).count, 1);
      const again = await delivery(uid, DELIVERED);
      assert.deepEqual([again.replay, again.eventId], [true, failed.eventId]);
      assert.equal(sink.received.at(-1)?.headers["ce-replay"], "true");
      assert.equal(sink.received[0]?.headers["ce-replay"], undefined);
      assert.equal((await api.deliveries.redeliverEvents(request)).count, 0, "delivered since");
      const named = { subscriptionUid: uid, eventIds: [failed.eventId] };
      assert.equal((await api.deliveries.redeliverEvents(named)).count, 1);
    });

    test("deliveries are counted over time, by state, for a subscription and for groups", async () => {
      const sink = await receiver();
      const { org, uid } = await subscribed(sink.url);
      const folder = await world.group(org);
      await delivery(uid, DELIVERED);
      const rejecting = await receiver(status(400));
      const filters = [{ glob: { type: "*.iam.group.created.*" } }];
      const below = await api.subscriptions.create(folder, { sink: rejecting.url, filters });
      const paused = { sink: sink.url, filters, state: "SUBSCRIPTION_STATE_PAUSED" };
      const waiting = await api.subscriptions.create(folder, paused);
      await world.group(folder);
      await delivery(below.uid, FAILED);
      await delivery(waiting.uid, PENDING);
      await until(async () => (await deliveriesOf(uid)).every(({ state }) => state === DELIVERED));

      const now = Date.now();
      const [since, end] = [now - 3_600_000, now + 3_600_000].map((ms) =>
        new Date(ms).toISOString(),
      );
      const countsOf = async (counted: string, more: object = {}): Promise<Answer[]> =>
        (await api.deliveries.getDeliveryCounts({ uid: counted, since, until: end, ...more }))
          .counts;
      const sum = async (counted: string) => {
        const counts = await countsOf(counted, { intervals: 2 });
        const total = (state: string) =>
          counts.reduce((all, one) => all + Number(one[state] ?? 0), 0);
        return ["delivered", "failed", "pending"].map(total);
      };
      assert.deepEqual(await sum(uid), [2, 0, 0]);
      assert.deepEqual(await sum(below.uid), [0, 1, 0]);
      assert.deepEqual(await sum(folder), [0, 1, 1]);
      assert.deepEqual(await sum(org), [2, 1, 1]);
      const counts = await countsOf(org);
      assert.equal(counts.length, 24);
      assert.equal(counts[0].beginTime, since);
      assert.deepEqual(
        await countsOf(org, { until: since, since: "2020-01-01T00:00:00Z" }).then((all) =>
          all.filter(({ delivered }) => delivered !== "0"),
        ),
        [],
      );
      await api.subscriptions.delete(waiting.uid);
      assert.deepEqual(await sum(folder), [0, 1, 0], "deleted subscriptions send nothing");

      for (const [more, field] of [
        [{ since: undefined }, "since"],
        [{ until: since }, "until"],
        [{ intervals: 101 }, "intervals"],
      ] as const) {
        const error = await rejected(countsOf(org, more));
        assert.deepEqual(Object.keys(error.fields), [field]);
      }
      assert.equal((await rejected(countsOf(waiting.uid))).code, 5);
      const stranger = await world.member({ [await world.organization()]: "owner" });
      const theirs = api.as(stranger.token).deliveries;
      for (const hidden of [org, uid, `${org}/0123456789abcdef`]) {
        const request = theirs.getDeliveryCounts({ uid: hidden, since });
        assert.equal((await rejected(request)).code, 7);
      }
    });

    test("redirects are not followed", async () => {
      const target = await receiver();
      const sink = await receiver(status(302, { location: target.url }));
      const { org, uid } = await subscribed(sink.url);
      await world.group(org);
      assert.equal((await delivery(uid, FAILED)).attempts[0].status, 302);
      assert.deepEqual(target.received, []);
    });

    test("a dead sink delays nobody else", async () => {
      const dead = await receiver(() => {});
      const alive = await receiver();
      const org = await world.organization();
      for (const sink of [dead.url, alive.url]) await api.subscriptions.create(org, { sink });
      const groups = [];
      for (let at = 0; at < 5; at++) groups.push(await world.group(org));
      for (const group of groups) await alive.about(group);
      // The server waits for requests in progress when it stops.
      await dead.stop();
    });

    test("the beginning of a long answer is kept, and the rest is not read", async () => {
      let isClosed = false;
      const sink = await receiver((_received, response) => {
        response.on("close", () => {
          isClosed = true;
        });
        response.writeHead(200);
        const write = () => {
          while (!isClosed && response.write("x".repeat(16_384)));
          if (!isClosed) response.once("drain", write);
        };
        write();
      });
      const { org, uid } = await subscribed(sink.url);
      await world.group(org);
      const { attempts } = await delivery(uid, DELIVERED);
      assert.equal(attempts[0].response, "x".repeat(1024));
      await until(async () => isClosed || undefined);
    });

    test("410 disables the subscription, with an event and an audit entry", async () => {
      const sink = await receiver(status(410));
      const observer = await receiver();
      const { org, uid } = await subscribed(sink.url);
      await api.subscriptions.create(org, { sink: observer.url });
      await world.group(org);
      const { body } = await observer.about(uid, "events.subscription.disabled.v1");
      assert.match(JSON.parse(body).body.stateReason, /410 Gone/);
      const read = await api.subscriptions.get(uid);
      assert.deepEqual([read.state, read.stateReason], [DISABLED, "the sink answered 410 Gone"]);
      const error = await rejected(
        api.deliveries.redeliverEvents({ subscriptionUid: uid, since: read.createTime }),
      );
      assert.equal(error.code, 9);
      sink.answer();
      const state = "SUBSCRIPTION_STATE_ACTIVE";
      const resumed = await api.subscriptions.update(uid, { state }, ["state"]);
      assert.deepEqual([resumed.state, resumed.stateReason], [state, ""]);
      const group = await world.group(org);
      await sink.about(group);
    });

    test("Retry-After is obeyed", async () => {
      const sink = await receiver(status(429, { "retry-after": "3600" }));
      const { org, uid } = await subscribed(sink.url);
      await world.group(org);
      const waiting = await until(async () => {
        return (await deliveriesOf(uid)).find((one) => one.attempts.length === 1);
      });
      assert.ok(Date.parse(waiting.nextAttemptTime) > Date.now() + 3_000_000);
      const other = await receiver();
      await api.subscriptions.create(org, { sink: other.url });
      // Another subscription has had the event: this one has had its turn, too.
      await other.about(await world.group(org));
      await other.about(await world.group(org));
      const others = (await deliveriesOf(uid)).filter(({ id }) => id !== waiting.id);
      assert.ok(others.length > 0);
      assert.ok(
        others.every(({ attempts }) => attempts.length === 0),
        "the sink is left alone",
      );
    });

    test("a sink can reject an event for good", async () => {
      const sink = await receiver(status(400, { "webhook-delivery": "abort-message" }));
      const { org, uid } = await subscribed(sink.url);
      await world.group(org);
      assert.equal((await delivery(uid, FAILED)).attempts.length, 1);
    });

    test("events of one subject arrive in order, although one fails", async () => {
      let isFirst = true;
      const sink = await receiver((received, response) => {
        const fails = isFirst && String(received.headers["ce-type"]).includes(".group.created.");
        if (fails) isFirst = false;
        return status(fails ? 500 : 200)(received, response);
      });
      const filters: object[] = [];
      const { org } = await subscribed(sink.url, { filters });
      const subject = await world.group(org);
      for (const name of ["one", "two", "three"])
        await api.groups.update(subject, { name }, ["name"]);
      await sink.event(({ body }) => JSON.parse(body).body.name === "three");
      const names = sink.received
        .filter(({ headers }) => headers["ce-subject"] === subject)
        .map(({ headers, body }) => [headers["ce-type"], JSON.parse(body).body.name]);
      const [first, second, ...rest] = names;
      assert.deepEqual(first, second, "sent again");
      assert.deepEqual(
        rest.map(([, name]) => name),
        ["one", "two", "three"],
      );
    });

    for (const maxConcurrency of [1, 16]) {
      test(`an event that is not accepted holds back its subject only, ${maxConcurrency} at a time`, async () => {
        let rejectedSubject = "";
        const sink = await receiver((received, response) => {
          const fails = received.headers["ce-subject"] === rejectedSubject;
          return status(fails ? 500 : 200)(received, response);
        });
        const { org, uid } = await subscribed(sink.url, {
          filters: [{ glob: { type: "*.iam.group.*" } }],
          state: "SUBSCRIPTION_STATE_PAUSED",
          maxConcurrency,
        });
        rejectedSubject = await world.group(org);
        const others = [await world.group(org), await world.group(org)];
        await api.groups.update(rejectedSubject, { name: "renamed" }, ["name"]);
        await api.subscriptions.update(uid, { state: "SUBSCRIPTION_STATE_ACTIVE" }, ["state"]);
        for (const other of others) await sink.about(other);
        const failed = await delivery(uid, FAILED);
        assert.deepEqual([failed.subject, failed.attempts.length], [rejectedSubject, 4]);
        const types = sink.received
          .filter(({ headers }) => headers["ce-subject"] === rejectedSubject)
          .map(({ headers }) => String(headers["ce-type"]).includes("created"));
        assert.deepEqual(types.slice(0, 4), [true, true, true, true]);
      });
    }

    test("a paused subscription gets its events when it is resumed", async () => {
      const sink = await receiver();
      const { org, uid } = await subscribed(sink.url);
      const set = (state: string) => api.subscriptions.update(uid, { state }, ["state"]);
      await set("SUBSCRIPTION_STATE_PAUSED");
      const group = await world.group(org);
      await delivery(uid, PENDING);
      assert.deepEqual(sink.received, []);
      await set("SUBSCRIPTION_STATE_ACTIVE");
      await sink.about(group);
    });
  },
  { deliveryTimes: TIMES },
);

onEachStore(
  "a sink that fails for days",
  (world) => {
    const subscribed = async (answer: Answering) => {
      const sink = await Receiver.start(answer);
      const org = await world.organization();
      const { uid } = await world.operator().subscriptions.create(org, { sink: sink.url });
      await world.group(org);
      return { uid, sink, api: world.operator() };
    };

    test("fails after the timeout if it does not answer", async () => {
      const { uid, sink, api } = await subscribed(() => {});
      const { attempts } = await until(async () => {
        const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: uid });
        return deliveries.find((one: Answer) => one.attempts.length > 0);
      });
      assert.equal(attempts[0].status, 0);
      assert.match(attempts[0].error, /no answer within 400 ms/);
      await sink.stop();
    });

    test("is disabled", async () => {
      const { uid, sink, api } = await subscribed(status(503));
      const read = await until(async () => {
        const one = await api.subscriptions.get(uid);
        return one.state === DISABLED ? one : undefined;
      });
      assert.match(read.stateReason, /every request to the sink has failed since/);
      await sink.stop();
    });
  },
  {
    deliveryTimes: {
      ...TIMES,
      retryDelaysMs: Array(1000).fill(20),
      disableAfterMs: 300,
      timeoutMs: 400,
    },
  },
);
