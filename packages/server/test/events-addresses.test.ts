/** Sinks at addresses that tenants must not reach, on a server that others than this machine reach. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PinnedClient } from "../src/delivery/pinned-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Receiver } from "./support/events/receiver.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

describe("addresses of sinks", () => {
  let world: World;
  let receiver: Receiver;
  let allowed: Receiver;
  before(async () => {
    receiver = await Receiver.start();
    allowed = await Receiver.start();
    const flags = ["--base-url", "http://wharf.test", "--private-sinks", allowed.url];
    world = await World.start({
      flags,
      deliveryTimes: { retryDelaysMs: [], idlePollMs: 30, pollMs: 30 },
    });
  });
  after(async () => {
    await world.stop();
    await Promise.all([receiver.stop(), allowed.stop()]);
  });

  for (const sink of [
    "http://events.example.com",
    "https://127.0.0.1/hook",
    "https://10.0.0.1",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://user:secret@events.example.com",
    "https://events.example.com/#fragment",
    "ftp://events.example.com",
    "events.example.com",
    "",
  ]) {
    test(`${JSON.stringify(sink)} is rejected`, async () => {
      const org = await world.organization();
      const error = await rejected(world.operator().subscriptions.create(org, { sink }));
      assert.equal(error.code, 3);
      assert.match(JSON.stringify(error.details), /"field":"sink"/);
    });
  }

  test("a name of a private address is not connected to", async () => {
    const org = await world.organization();
    const { port } = new URL(receiver.url);
    const api = world.operator();
    const { uid } = await api.subscriptions.create(org, { sink: `https://localhost:${port}/` });
    await world.group(org);
    const [{ attempts }] = await until(async () => {
      const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: uid });
      return deliveries[0]?.attempts.length > 0 ? deliveries : undefined;
    });
    assert.match(attempts[0].error, /not public/);
    assert.deepEqual(receiver.received, []);
  });

  test("the operator can allow an origin", async () => {
    const org = await world.organization();
    await world.operator().subscriptions.create(org, { sink: allowed.url });
    await allowed.about(await world.group(org));
  });

  test("a client for public addresses does not connect to an address of this machine", async () => {
    const { port } = new URL(receiver.url);
    for (const url of [receiver.url, `https://127.0.0.1:${port}/`, `https://localhost:${port}/`]) {
      const client = new PinnedClient(new URL(url), {
        anywhere: false,
        timeoutMs: 10_000,
        maxConnections: 1,
      });
      const { status, error } = await client.post({}, "{}");
      assert.equal(status, 0);
      assert.match(error ?? "", /only https|not public/);
      client.close();
    }
    assert.deepEqual(receiver.received, []);
  });
});
