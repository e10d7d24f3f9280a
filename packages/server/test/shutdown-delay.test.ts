/** After SIGTERM a server is not ready, but it serves until balancers have noticed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient, PROTOCOLS } from "./support/client/api-client.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { TestServer } from "./support/server/test-server.ts";

/** A test ends the delay itself. */
const DELAY_MS = 600_000;

test("a stopping server is not ready, serves all requests, then ends", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const token = await server.token();
  const get = (path: string) => fetch(server.url + path);
  const health = async () => [...(await sendBytes(server.url, "", CHECK, Buffer.alloc(0)))];
  assert.equal((await get("/readyz")).status, 200);
  assert.deepEqual(await health(), SERVING);
  const exit = server.terminate(DELAY_MS);

  const ready = await get("/readyz");
  assert.equal(ready.status, 503);
  assert.ok(ready.headers.get("retry-after"));
  assert.equal(ready.headers.get("connection"), "close");
  assert.equal((await get("/healthz")).status, 200);
  assert.deepEqual(await health(), NOT_SERVING);
  for (const protocol of PROTOCOLS) {
    const api = new ApiClient({ url: server.url, token, protocol });
    const { uid } = await api.groups.create("", { name: "made while stopping" });
    assert.equal((await api.groups.get(uid)).uid, uid);
  }
  server.terminate();
  assert.equal(await exit, 0);
  await assert.rejects(get("/healthz"));
});

const CHECK = "/grpc.health.v1.Health/Check";
/** HealthCheckResponse with its field `status`. */
const SERVING = [8, 1];
const NOT_SERVING = [8, 2];

test("a second signal ends the process at once", async (t) => {
  const flags = ["--shutdown-delay", "300"];
  const server = await TestServer.start({ flags, ownProcess: true });
  t.after(() => server.stop());
  const exit = server.terminate();
  while ((await fetch(`${server.url}/readyz`)).status === 200) await sleep(10);
  // Signals right after the first are taken for the same one.
  while (server.process.exitCode === null) {
    server.process.kill("SIGINT");
    await sleep(50);
  }
  assert.equal(await exit, 130);
});
