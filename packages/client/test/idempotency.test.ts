/** A create whose reply is lost on the way is sent again, and executed once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createWharf } from "@wharf/client";
import { grpcTransport } from "@wharf/client/node";
import { rawRows } from "../../server/test/support/server/direct-store.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";

/** A proxy that can lose what the server sends. */
const proxy = {
  losesReplies: false,
  sockets: new Set<Socket>(),
  server: createServer(),
};

let server: TestServer;
let baseUrl: string;
before(async () => {
  server = await TestServer.start();
  const { port } = new URL(server.url);
  proxy.server.on("connection", (client) => {
    const target = connect(Number(port), "127.0.0.1");
    client.on("data", (chunk) => target.write(chunk));
    target.on("data", (chunk) => proxy.losesReplies || client.write(chunk));
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      proxy.sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  proxy.server.listen(0, "127.0.0.1");
  await once(proxy.server, "listening");
  baseUrl = `http://127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
});
after(async () => {
  for (const socket of proxy.sockets) socket.destroy();
  proxy.server.close();
  await server.stop();
});

const groupsNamed = async (name: string) =>
  (await rawRows<{ uid: string }>(server, `SELECT uid FROM groups WHERE name = '${name}'`)).map(
    ({ uid }) => uid,
  );

for (const protocol of ["REST", "gRPC"] as const) {
  test(`a connection that is cut after the commit creates one resource (${protocol})`, async (t) => {
    const transport = protocol === "gRPC" ? grpcTransport() : undefined;
    t.after(() => transport?.close());
    const statuses: number[] = [];
    const wharf = createWharf({
      baseUrl,
      token: await server.token(),
      transport,
      onRequest: ({ status }) => statuses.push(status),
    });
    await wharf.ping.ping();
    proxy.losesReplies = true;
    const name = `cut-${protocol.toLowerCase()}`;
    const created = wharf.groups.create({ group: { name } }, { timeoutMs: 120_000 });
    while ((await groupsNamed(name)).length === 0) await sleep(5);
    proxy.losesReplies = false;
    for (const socket of proxy.sockets) socket.destroy();
    const { uid } = await created;
    assert.deepEqual(await groupsNamed(name), [uid]);
    assert.deepEqual(statuses.slice(1), [0, 200]);
  });
}
