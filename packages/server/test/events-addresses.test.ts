/** Sinks at addresses that tenants must not reach, on a server that others than this machine reach. */
import assert from "node:assert/strict";
import type { LookupFunction } from "node:net";
import { after, before, describe, test } from "node:test";
import { PinnedClient } from "../src/delivery/pinned-client.ts";
import { type HostLookup, hostLookup } from "../src/lib/net/host-lookup.ts";
import { rejected } from "./support/client/api-error.ts";
import { NameServer } from "./support/events/name-server.ts";
import { Receiver } from "./support/events/receiver.ts";
import { freePort } from "./support/server/free-port.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

describe("addresses of sinks", () => {
  let world: World;
  let receiver: Receiver;
  let allowed: Receiver;
  let names: NameServer;
  before(async () => {
    receiver = await Receiver.start();
    allowed = await Receiver.start();
    const flags = ["--base-url", "http://wharf.test", "--private-sinks", allowed.url];
    names = await NameServer.start((name) => (name === "db.internal" ? "10.1.2.3" : "denied"));
    world = await World.start({
      flags,
      hosts: hostLookup({ servers: [names.address] }),
      deliveryTimes: { retryDelaysMs: [], idlePollMs: 30, pollMs: 30 },
    });
  });
  after(async () => {
    await world.stop();
    await Promise.all([receiver.stop(), allowed.stop()]);
    names.stop();
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

  /** The first attempt of a subscription in an organization of its own. */
  const attemptAt = async (sink: string) => {
    const org = await world.organization();
    const api = world.operator();
    const { uid } = await api.subscriptions.create(org, { sink });
    await world.group(org);
    const [{ attempts }] = await until(async () => {
      const { deliveries } = await api.deliveries.listDeliveries({ subscriptionUid: uid });
      return deliveries[0]?.attempts.length > 0 ? deliveries : undefined;
    });
    const { time: _, ...attempt } = attempts[0];
    return { uid, attempt };
  };

  test("a delivery does not reveal which names the network of the server has", async () => {
    const { port } = new URL(receiver.url);
    const missing = await attemptAt("https://missing.internal/hook");
    const secret = await attemptAt("https://db.internal/hook?token=secret");
    const local = await attemptAt(`https://localhost:${port}/`);
    assert.match(missing.attempt.error, /cannot be reached/);
    assert.equal(missing.attempt.latencyMs, 0);
    for (const { attempt } of [secret, local]) assert.deepEqual(attempt, missing.attempt);
    assert.deepEqual(receiver.received, []);
    // The operator sees the cause, without the path, which may contain a token.
    const causeOf = ({ uid }: { uid: string }) =>
      world.server.logLines.find((line) => line.includes(uid) && line.includes("sink cannot be"));
    assert.match(causeOf(missing) ?? "", /ENOTFOUND/);
    assert.match(causeOf(secret) ?? "", /not public/);
    assert.ok(!world.server.log.includes("token=secret"));
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
      assert.match(error ?? "", /only https|not public|cannot be reached/);
      client.close();
    }
    assert.deepEqual(receiver.received, []);
  });

  test("a closed port looks like a name that does not exist", async () => {
    const port = await freePort();
    const found: LookupFunction = (_name, { all }, callback) =>
      all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);
    const resolving = { anywhere: found, publicOnly: found };
    const { publicOnly, anywhere } = hostLookup({ servers: [names.address] });
    const post = async (hosts: HostLookup) => {
      const url = new URL(`https://sink.test:${port}/`);
      const options = { anywhere: false, timeoutMs: 10_000, maxConnections: 1, hosts };
      const client = new PinnedClient(url, options);
      const { cause, ...shown } = await client.post({}, "{}");
      client.close();
      return { code: (cause as NodeJS.ErrnoException).code, shown };
    };
    const [closed, missing] = [await post(resolving), await post({ publicOnly, anywhere })];
    assert.deepEqual([closed.code, missing.code], ["ECONNREFUSED", "ENOTFOUND"]);
    assert.deepEqual(closed.shown, missing.shown);
  });
});
