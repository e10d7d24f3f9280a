import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS } from "../limits.ts";
import { Connections } from "../port/connections.ts";
import { IdleSockets } from "./idle-connections.ts";

/** Both ends of a connection on which one request was answered, and a check in the future. */
async function site(t: TestContext) {
  const connections = new Connections(DEFAULT_LIMITS, undefined);
  const closed: string[] = [];
  const observer = { finished: () => {}, closed: (reason: string) => closed.push(reason) };
  const idle = new IdleSockets({ limits: DEFAULT_LIMITS, connections, observer });
  const listener = createServer().listen(0, "127.0.0.1");
  t.after(() => listener.close());
  await once(listener, "listening");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => client.destroy());
  const [server] = (await once(listener, "connection")) as [Socket];
  t.after(() => server.destroy());
  connections.add(server);
  idle.add(server);
  const connection = connections.of(server);
  connection.requestStarted(performance.now());
  connection.requestFinished(performance.now());
  const check = (inMs: number) => idle.close(performance.now() + inMs);
  return { client, server, closed, check };
}

test("a connection is closed after the timeout, and not before", async (t) => {
  const { server, closed, check } = await site(t);
  check(DEFAULT_LIMITS.keepAliveMs - 1_000);
  assert.equal(server.destroyed, false);
  check(DEFAULT_LIMITS.keepAliveMs);
  assert.equal(server.destroyed, true);
  assert.deepEqual(closed, ["idle"]);
});

test("a request that begins to arrive has until the next check", async (t) => {
  const { client, server, check } = await site(t);
  server.resume();
  client.write("G");
  await once(server, "data");
  check(DEFAULT_LIMITS.keepAliveMs);
  assert.equal(server.destroyed, false);
  check(DEFAULT_LIMITS.keepAliveMs);
  assert.equal(server.destroyed, true);
});

test("a client that still reads the last response is not cut off", async (t) => {
  const { client, server, check } = await site(t);
  client.pause();
  server.write(Buffer.alloc(64 * 1024 * 1024));
  check(DEFAULT_LIMITS.keepAliveMs);
  assert.equal(server.destroyed, false);
  client.resume();
  await once(server, "drain");
  check(DEFAULT_LIMITS.keepAliveMs);
  assert.equal(server.destroyed, true);
});
