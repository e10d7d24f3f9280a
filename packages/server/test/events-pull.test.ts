/** Lists, previews and streams of events, and the rights that they take. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { EventsService } from "@wharf/contract";
import type { Answer } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { EventStream } from "./support/events/streams.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const OUT_OF_RANGE = 11;
const PERMISSION_DENIED = 7;
const TIMES = { pollMs: 30, idlePollMs: 30 };

onEachStore(
  "events that clients pull",
  (world) => {
    let org: string;
    let groups: string[];
    const subjectsOf = ({ events }: Answer): string[] => events.map((one: Answer) => one.subject);
    const created = { types: ["*.iam.group.created.v1"] };

    before(async () => {
      org = await world.organization();
      groups = [];
      for (let at = 0; at < 7; at++) groups.push(await world.group(org));
      await world.role(org, ["groups.list"]);
      await eventsOf(org, 9);
    });

    /** The events of a group, once there are so many: on PostgreSQL, they wait for earlier writes in any database. */
    const eventsOf = (group: string, count: number): Promise<Answer[]> =>
      until(async () => {
        const { events } = await world.operator().events.list({ group });
        return events.length < count ? undefined : events;
      });

    world.rule("a list has pages in order, and exact totals", async ({ events }) => {
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await events.list({ group: org, ...created, pageSize: 3, pageToken });
        assert.equal(page.totalCount, "8", "with the organization itself");
        seen.push(...subjectsOf(page));
        ({ nextPageToken: pageToken } = page);
      } while (pageToken !== "");
      assert.deepEqual(seen, [org, ...groups]);
      const newest = await events.list({
        group: org,
        ...created,
        orderBy: "time desc",
        pageSize: 2,
      });
      assert.deepEqual(subjectsOf(newest), groups.slice(-2).reverse());
      const whole = await events.list({ group: org });
      assert.equal(whole.totalCount, "9");
      const [first] = whole.events;
      assert.equal(first.type, "dev.chainguard.api.iam.group.created.v1");
      assert.equal(first.data.body.uid, org);
      assert.equal(first.data.actor.subject, first.actor);
    });

    world.rule("a list is filtered", async ({ events }) => {
      const [subject = ""] = groups;
      const list = async (request: object) =>
        subjectsOf(await events.list({ group: org, ...request }));
      assert.deepEqual(await list({ subject }), [subject]);
      assert.deepEqual(await list({ actor: "nobody" }), []);
      const filters = JSON.stringify([
        { prefix: { subject: `${org}/` } },
        { suffix: { type: ".created.v1" } },
        { not: { exact: { subject } } },
        { any: [{ glob: { type: "*.group.*" } }, { exact: { type: "none" } }] },
      ]);
      assert.deepEqual(await list({ filters }), groups.slice(1));
      assert.equal((await events.list({ group: org, filters, pageSize: 1 })).totalCount, "6");
      const { time } = (await events.list({ group: org, subject })).events[0];
      assert.ok(!(await list({ until: time })).includes(subject));
      assert.ok((await list({ since: time })).includes(subject));
    });

    world.rule("filters that cannot be are rejected", async ({ events }) => {
      const problem = async (filters: unknown) => {
        const error = await rejected(events.list({ group: org, filters: JSON.stringify(filters) }));
        assert.equal(error.code, 3);
        return error.message;
      };
      assert.match(await problem({}), /JSON array/);
      assert.match(await problem([{}]), /exactly one of/);
      assert.match(
        await problem([{ exact: { type: "x" }, prefix: { type: "x" } }]),
        /exactly one of/,
      );
      assert.match(await problem([{ exact: { color: "red" } }]), /not an attribute/);
      let deep: object = { exact: { type: "x" } };
      for (let at = 0; at < 10; at++) deep = { not: deep };
      assert.match(await problem([deep]), /nested at most 8 deep/);
      assert.equal((await rejected(events.list({ group: org, orderBy: "name" }))).code, 3);
    });

    world.rule("all types are listed, with what reading them takes", async ({ events }) => {
      const { eventTypes } = await events.listEventTypes({});
      const created = "iam.group.created.v1";
      assert.deepEqual(
        eventTypes.find(({ name }: Answer) => name === created),
        {
          type: `dev.chainguard.api.${created}`,
          name: created,
          capabilities: ["groups.list"],
          collection: "/iam/v2beta1/groups",
        },
      );
      const stored = (await events.list({ group: org })).events;
      const known = new Set(eventTypes.map(({ type }: Answer) => type));
      for (const { type } of stored) assert.ok(known.has(type), type);
      const push = eventTypes.find(({ name }: Answer) => name === "registry.push.v1");
      assert.equal(push.type, "dev.chainguard.registry.push.v1");
      assert.equal(push.collection, "");
    });

    world.rule("a preview counts what filters match", async ({ events }) => {
      const filters = [{ glob: { type: "*.iam.roles.*" } }];
      const preview = await events.previewFilter({ group: org, filters });
      assert.deepEqual([preview.matchCount, preview.totalCount], ["1", "9"]);
      assert.equal(preview.events[0].type, "dev.chainguard.api.iam.roles.created.v1");
    });

    const streams = {
      REST: (token: string, { group, types = [], after }: Answer, headers = {}) => {
        const query = types.map((type: string) => `types=${encodeURIComponent(type)}`).join("&");
        const from = after === undefined ? "" : `&after=${after}`;
        return EventStream.overRest(
          world.server.url,
          token,
          `/events/v2beta1/events/${group}:watch?${query}${from}`,
          headers,
        );
      },
      gRPC: (token: string, request: Answer) =>
        EventStream.overGrpc(world.server.url, token, EventsService.method.watchEvents, request),
    };

    for (const [protocol, open] of Object.entries(streams)) {
      test(`a stream has what is stored after a position, and what follows (${protocol})`, async () => {
        const { token } = world.operator();
        const list = await world.operator().events.list({ group: org, ...created });
        const [, second, third] = list.events;
        const stream = await open(token, { group: org, ...created, after: second.id });
        await stream.about(third.subject);
        const next = await world.group(org);
        await stream.about(next);
        await stream.cancel();
        const known = list.events.slice(2).map(({ id }: Answer) => id);
        assert.deepEqual(
          stream.events.slice(0, known.length).map(({ id }) => id),
          known,
        );
        assert.equal(stream.events.length, known.length + 1);
      });

      test(`a stream of the caller's rights ends when these are withdrawn (${protocol})`, async () => {
        const member = await world.member();
        const binding = await world.bind(org, member.uid, ["subscriptions.list", "groups.list"]);
        const stream = await open(member.token, { group: org, types: ["*.iam.group.*"] });
        await stream.about(await world.group(org));
        const denied = await open(member.token, { group: org }).then(
          (one) => one.ended,
          ({ message }) => message,
        );
        assert.ok(denied === PERMISSION_DENIED || denied === "status 403", "not all types");
        await world.operator().roleBindings.delete(binding);
        const unseen = await world.group(org);
        // Without any right, the token still authenticates.
        assert.equal(await stream.ended, PERMISSION_DENIED);
        assert.ok(!stream.events.some(({ subject }) => subject === unseen));
        const direct = await DirectStore.open(world.server);
        const entries = await direct.store.reader.all(
          "SELECT method, code FROM audit WHERE actor = ? AND resource = ? AND code = 7",
          member.uid,
          org,
        );
        await direct.close();
        const method = "wharf.events.v2beta1.EventsService/WatchEvents";
        assert.deepEqual(
          entries.map((one) => ({ ...one })),
          [
            { method, code: 7 },
            { method, code: 7 },
          ],
          "the stream that did not start, and the one that ended",
        );
      });
    }

    test("a client of server-sent events resumes with Last-Event-ID", async () => {
      const { token } = world.operator();
      const { events } = await world.operator().events.list({ group: org, ...created });
      const headers = { "last-event-id": events.at(-2).id };
      const stream = await streams.REST(token, { group: org, ...created }, headers);
      assert.equal((await stream.about(events.at(-1).subject)).id, events.at(-1).id);
      assert.equal(stream.events.length, 1);
      await stream.cancel();
    });

    test("a stream cannot continue after an event that is not there", async () => {
      const other = await world.organization();
      const [event] = await eventsOf(other, 1);
      for (const after of [event.id, "0190a000-0000-7000-8000-000000000000", "nonsense"]) {
        const stream = await streams.gRPC(world.operator().token, { group: org, after });
        assert.equal(await stream.ended, OUT_OF_RANGE);
      }
    });

    world.rule("a subscription takes the list rights of what it can match", async (api) => {
      const member = await world.member();
      await world.bind(org, member.uid, [
        "subscriptions.create",
        "subscriptions.list",
        "groups.list",
      ]);
      const { subscriptions } = api.as(member.token);
      const sink = "https://events.example.com";
      const error = await rejected(subscriptions.create(org, { sink }));
      assert.equal(error.code, PERMISSION_DENIED);
      assert.match(error.message, /repo\.list/);
      const filters = [{ glob: { type: "*.iam.group.*" } }, { not: { suffix: { type: "x" } } }];
      const made = await subscriptions.create(org, { sink, filters });
      assert.equal(made.authorizedBy, member.uid);
      const beside = await rejected(
        subscriptions.create(org, { sink, filters: [{ prefix: { subject: org } }] }),
      );
      assert.equal(beside.code, PERMISSION_DENIED, "a subject does not restrict types");
    });

    test("a subscription stops when the identity behind it loses its rights", async () => {
      const member = await world.member();
      const capabilities = ["subscriptions.create", "subscriptions.list", "groups.list"];
      const binding = await world.bind(org, member.uid, capabilities);
      const api = world.operator();
      const filters = [{ glob: { type: "*.iam.group.*" } }];
      const made = await api.as(member.token).subscriptions.create(org, {
        sink: "http://127.0.0.1:9/none",
        filters,
      });
      await api.roleBindings.delete(binding);
      await world.group(org);
      const stopped = await until(async () => {
        const read = await api.subscriptions.get(made.uid);
        return read.state === "SUBSCRIPTION_STATE_DISABLED" ? read : undefined;
      });
      assert.match(stopped.stateReason, /lacks groups\.list/);
      const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: made.uid });
      assert.ok(deliveries.every(({ attempts }: Answer) => attempts.length === 0));
      const direct = await DirectStore.open(world.server);
      const [entry] = await direct.store.reader.all<{ detail: string }>(
        "SELECT detail FROM audit WHERE resource = ? AND method = 'subscription disabled'",
        made.uid,
      );
      await direct.close();
      assert.match(entry?.detail ?? "", /groups\.list/);
    });
  },
  { deliveryTimes: TIMES },
);
