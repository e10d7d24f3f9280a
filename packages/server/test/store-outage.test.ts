import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "@wharf/contract/gen/health/v1/health_pb.js";
import { GrpcClient } from "../src/wire/testing/grpc-client.ts";
import { Http } from "./support/client/http.ts";
import { ProxiedServer } from "./support/server/proxied-server.ts";

describe("a server whose database fails", () => {
  let server: ProxiedServer;
  let operator: Http;
  let group: string;
  before(async () => {
    server = await ProxiedServer.start();
    operator = new Http(server.url, await server.token());
    group = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
  });
  after(() => server.stop());

  /** The reason why the server is not ready. The answer must not wait for the database. */
  async function reason(): Promise<string | undefined> {
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(`${server.url}/readyz`, { signal });
    if (response.status === 200) return undefined;
    assert.equal(response.headers.get("retry-after"), "5");
    return ((await response.json()) as { reason: string }).reason;
  }

  /** Checks of a busy machine may fail once more, so every state is waited for. */
  async function until(expected: string | undefined): Promise<void> {
    while ((await reason()) !== expected) await sleep(5);
  }

  const errorsOf = (cause: string) =>
    server.log
      .map((line) => JSON.parse(line))
      .filter((line) => line.level === "error" && line.cause === cause);

  async function counted(cause: string): Promise<number> {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const found = new RegExp(`^wharf_store_errors_total\\{cause="${cause}"\\} (\\d+)`, "m");
    return Number(found.exec(metrics)?.[1] ?? 0);
  }

  test("is not ready while the database stalls, over both protocols, and recovers by itself", async (t) => {
    const client = new GrpcClient(t, server.url);
    const seen = watch(t, client);
    while (seen.at(-1) !== Status.SERVING) await sleep(5);
    server.proxy.stall();
    await until("timeout");
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    for (const service of ["", "wharf.iam.v2beta1.GroupsService"])
      assert.equal(await check(client, service), Status.NOT_SERVING);
    while (seen.at(-1) !== Status.NOT_SERVING) await sleep(5);
    const [line, ...others] = errorsOf("timeout");
    assert.equal(line?.msg, "the store cannot be read: it does not respond in time");
    assert.deepEqual(others, []);
    assert.ok((await counted("timeout")) >= 1);
    server.proxy.heal();
    await until(undefined);
    while ((await check(client, "")) !== Status.SERVING) await sleep(5);
    while (seen.at(-1) !== Status.SERVING) await sleep(5);
    assert.ok(server.log.some((text) => text.includes("the store can be read and written again")));
  });

  test("reports the cause of failed reads to callers, once in the log, and in the metrics", async () => {
    server.proxy.reset();
    for (let read = 0; read < 5; read++) {
      const { status, body, headers } = await operator.get(`/iam/v2beta1/groups/${group}`);
      assert.equal(status, 503);
      assert.equal(body.code, 14);
      assert.equal(headers.get("retry-after"), "5");
    }
    await until("unreachable");
    assert.equal(errorsOf("unreachable").length, 1);
    assert.ok((await counted("unreachable")) >= 5);
    server.proxy.heal();
    await until(undefined);
    while ((await operator.get(`/iam/v2beta1/groups/${group}`)).status !== 200) await sleep(5);
  });
});

async function check(client: GrpcClient, service: string): Promise<Status> {
  const path = "/grpc.health.v1.Health/Check";
  const request = create(HealthCheckRequestSchema, { service });
  const schemas = [HealthCheckRequestSchema, request, HealthCheckResponseSchema] as const;
  return (await client.unary(path, ...schemas)).status;
}

/** The statuses that Watch sends. */
function watch(t: TestContext, { client }: GrpcClient): Status[] {
  const stream = client.makeServerStreamRequest(
    "/grpc.health.v1.Health/Watch",
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes) => fromBinary(HealthCheckResponseSchema, bytes).status,
    toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)),
  );
  const seen: Status[] = [];
  stream.on("data", (status: Status) => seen.push(status));
  stream.on("error", () => {});
  t.after(() => stream.cancel());
  return seen;
}
