/** The rights that events take: those of version 1 alone, those of unknown types, and what the delivery log shows. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventsService, eventOf, SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { newEventId } from "../src/lib/event-id.ts";
import { writeEvent } from "../src/store/tables/audit/audit-and-events.ts";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Receiver } from "./support/events/receiver.ts";
import { EventStream } from "./support/events/streams.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const PERMISSION_DENIED = 7;
const TIMES = { pollMs: 30, idlePollMs: 30 };
const UPDATED = "platform.registry.tag.updated.v1";

onEachStore(
  "rights of events",
  (world) => {
    let org: string;
    let tag: string;
    let receiver: Receiver;
    before(async () => {
      receiver = await Receiver.start((_received, response) => {
        response.writeHead(200).end("the answer");
      });
      org = await world.organization();
      const api = world.operator();
      const { uid: repo } = await api.repos.create(org, { name: "secret" });
      const digest = `sha256:${"a".repeat(64)}`;
      tag = (await api.tags.create(repo, { name: "latest", digest })).uid;
    });
    after(() => receiver.stop());

    const SUBSCRIPTIONS = ["subscriptions.list", "subscriptions.create"];

    const member = async (...more: readonly string[]) => {
      const made = await world.member();
      await world.bind(org, made.uid, [...SUBSCRIPTIONS, ...more]);
      return { ...made, api: world.operator().as(made.token) };
    };

    const watch = (token: string, request: Answer) =>
      EventStream.overGrpc(world.server.url, token, EventsService.method.watchEvents, request);

    /** Version 1 updates a tag; version 2 creates them only. */
    const update = async (character: string) => {
      const digest = `sha256:${character.repeat(64)}`;
      await world.operator().v1.registry.updateTag({ id: tag, name: "latest", digest });
    };

    const eventsOf = (api: ApiClient, request: Answer): Promise<Answer[]> =>
      until(async () => {
        const { events } = await api.events.list({ group: org, ...request });
        return events.length === 0 ? undefined : events;
      });

    test("every type that a method of either version emits takes something", async () => {
      const { eventTypes } = await world.operator().events.listEventTypes({});
      const capabilities = new Map<string, readonly string[]>(
        eventTypes.map((one: Answer) => [one.name, one.capabilities]),
      );
      const methods = [...SERVICES, ...SERVICES_V1].flatMap((service) => service.methods);
      for (const method of methods) {
        const type = eventOf(method)?.type;
        if (type !== undefined) assert.ok(capabilities.get(type)?.length, type);
      }
      const updated = eventTypes.find(({ name }: Answer) => name === UPDATED);
      assert.deepEqual(updated.capabilities, ["tag.list"]);
      assert.equal(updated.collection, "/registry/v2beta1/tags");
    });

    test("events that only version 1 emits are read with the rights of their collection", async () => {
      const without = await member();
      const types = [UPDATED];
      const filters = [{ suffix: { type: "registry.tag.updated.v1" } }];
      const sink = receiver.url;
      const calls = [
        without.api.events.list({ group: org, types }),
        without.api.events.previewFilter({ group: org, filters }),
        without.api.subscriptions.create(org, { sink, filters }),
      ];
      for (const { code } of await Promise.all(calls.map((call) => rejected(call))))
        assert.equal(code, PERMISSION_DENIED);
      const denied = await watch(without.token, { group: org, types });
      assert.equal(await denied.ended, PERMISSION_DENIED);

      const reader = await member("tag.list");
      await reader.api.subscriptions.create(org, { sink, filters });
      const stream = await watch(reader.token, { group: org, types });
      await update("b");
      const [listed] = await eventsOf(reader.api, { types });
      assert.equal(listed.subject, tag);
      assert.equal(listed.source, `${world.server.baseUrl}/registry/v1/tags`);
      assert.equal((await stream.about(tag)).id, listed.id);
      await receiver.about(tag, UPDATED);
      await stream.cancel();
    });

    test("events of unknown types are for nobody", async () => {
      const api = world.operator();
      await api.subscriptions.create(org, { sink: receiver.url });
      const stream = await watch(api.token, { group: org });
      const direct = await DirectStore.open(world.server);
      const time = Date.now();
      await direct.store.write(async (tx) =>
        writeEvent(tx, {
          ...{ id: newEventId(time), time, type: "iam.future.created.v9", subject: "future" },
          ...{ group: org, actor: "", act: undefined, bodyType: "", body: "{}" },
        }),
      );
      await direct.close();
      const next = await world.group(org);
      await stream.about(next);
      await receiver.about(next);
      const types = ["*.iam.future.*"];
      assert.deepEqual((await api.events.list({ group: org, types })).events, []);
      const { events } = await api.events.list({ group: org, pageSize: 200 });
      for (const seen of [events, stream.events])
        assert.ok(!seen.some(({ subject }: Answer) => subject === "future"));
      const subjects = receiver.received.map(({ headers }) => headers["ce-subject"]);
      assert.ok(!subjects.includes("future"));
      await stream.cancel();
    });

    test("the delivery log shows what an event is about to those who may read it", async () => {
      const api = world.operator();
      const filters = [{ glob: { type: "*.iam.group.created.v1" } }];
      const { uid } = await api.subscriptions.create(org, { sink: receiver.url, filters });
      const group = await world.group(org);
      const delivered = (client: ApiClient): Promise<Answer> =>
        until(async () => {
          const { deliveries } = await client.deliveries.listDeliveries({ subscriptionUid: uid });
          return deliveries.find(({ state }: Answer) => state === "DELIVERY_STATE_DELIVERED");
        });
      const shown = ({ type, subject, attempts: [{ status, response }] }: Answer) => {
        return { type, subject, status, response };
      };
      const all = await delivered((await member("groups.list")).api);
      assert.deepEqual(shown(all), {
        ...{ type: "iam.group.created.v1", subject: group, status: 200, response: "the answer" },
      });
      const some = await delivered((await member("repo.list")).api);
      assert.deepEqual(shown(some), { type: "", subject: "", status: 200, response: "" });
      assert.equal(some.id, all.id);
    });
  },
  { deliveryTimes: TIMES },
);
