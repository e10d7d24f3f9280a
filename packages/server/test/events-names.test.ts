/** Sinks whose names never resolve: they take no thread from others. */
import assert from "node:assert/strict";
import { scrypt } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { hostLookup } from "../src/lib/net/host-lookup.ts";
import { NameServer } from "./support/events/name-server.ts";
import { Receiver } from "./support/events/receiver.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

/** Several times as many as there are threads for lookups. */
const SILENT_SINKS = 20;

const hash = promisify(scrypt);

describe("names of sinks that never resolve", () => {
  let world: World;
  let names: NameServer;
  let receiver: Receiver;
  before(async () => {
    receiver = await Receiver.start();
    names = await NameServer.start(() => "silent");
    world = await World.start({
      flags: ["--base-url", "http://wharf.test", "--private-sinks", alive()],
      // Lookups that nobody answers end long after the test.
      hosts: hostLookup({ servers: [names.address], timeoutMs: 60_000 }),
      deliveryTimes: { retryDelaysMs: [3_600_000], idlePollMs: 30, pollMs: 30, timeoutMs: 60_000 },
    });
  });
  after(async () => {
    await Promise.all([world.stop(), receiver.stop()]);
    names.stop();
  });

  const alive = () => receiver.url.replace("127.0.0.1", "localhost");

  test("delay neither other deliveries nor password hashes", async () => {
    const org = await world.organization();
    const api = world.operator();
    const filters = [{ glob: { type: "*.iam.group.created.*" } }];
    const subscribe = (sink: string) => api.subscriptions.create(org, { sink, filters });
    const sinks = Array.from(
      { length: SILENT_SINKS },
      (_, at) => `https://sink-${at}.silent.test/`,
    );
    const made = await Promise.all(sinks.map((sink) => subscribe(sink)));
    await world.group(org);
    const silent = () => names.asked.filter((name) => name.endsWith(".silent.test"));
    await until(async () => new Set(silent()).size === SILENT_SINKS || undefined);
    await subscribe(alive());
    const next = await world.group(org);
    await receiver.about(next);
    await Promise.all(Array.from({ length: 8 }, () => hash("password", "salt", 32)));
    const { uid } = made.at(-1) ?? {};
    const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: uid });
    assert.deepEqual(deliveries[0].attempts, [], "its lookup still waits");
    names.denyUnanswered();
  });
});
