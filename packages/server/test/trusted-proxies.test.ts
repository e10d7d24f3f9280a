import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect } from "node:http2";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { CreateGroupRequestSchema } from "@wharf/contract";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { onStore, type World } from "./support/world/world.ts";

/** The header that a proxy passes on: the client's own claim, then the proxy's peer. */
const FORWARDED = "198.51.100.66, 203.0.113.9";

type Headers = Readonly<Record<string, string>>;

/** Creates a group, each in another way. */
const CREATES = {
  "HTTP/1": async (url: string, name: string, headers: Headers) => {
    const body = JSON.stringify({ name });
    const type = { "content-type": "application/json" };
    const answer = await fetch(`${url}/iam/v2beta1/groups`, {
      ...{ method: "POST", headers: { ...headers, ...type }, body },
    });
    assert.equal(answer.status, 200, await answer.text());
  },
  "HTTP/2": async (url: string, name: string, headers: Headers) => {
    const session = connect(url);
    const path = { ":method": "POST", ":path": "/iam/v2beta1/groups" };
    const stream = session.request({ ...path, ...headers, "content-type": "application/json" });
    const status = new Promise((resolve, reject) => {
      stream.on("response", (got) => resolve(got[":status"]));
      stream.on("error", reject);
    });
    stream.end(JSON.stringify({ name }));
    stream.resume();
    assert.equal(await status, 200);
    session.close();
  },
  gRPC: async (url: string, name: string, headers: Headers) => {
    const client = new Client(new URL(url).host, credentials.createInsecure());
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
    const same = (bytes: Buffer) => bytes;
    const request = create(CreateGroupRequestSchema, { group: { name } });
    const bytes = Buffer.from(toBinary(CreateGroupRequestSchema, request));
    const path = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
    await new Promise<void>((resolve, reject) => {
      client.makeUnaryRequest(path, same, same, bytes, metadata, (error) => {
        if (error) reject(error);
        else resolve();
      });
    }).finally(() => client.close());
  },
};

/** The number of rejected sign-in attempts out of 101. */
async function refusedTries(world: World, forwarded: (at: number) => string): Promise<number> {
  const tries = Array.from({ length: 101 }, (_, at) => () => tryToSignIn(world, forwarded(at)));
  // A connection for each would cost more than the tries.
  const lanes = Array.from({ length: 4 }, async () => {
    let refused = 0;
    for (let next = tries.pop(); next !== undefined; next = tries.pop())
      if ((await next()) === 429) refused++;
    return refused;
  });
  return (await Promise.all(lanes)).reduce((sum, refused) => sum + refused, 0);
}

async function tryToSignIn(world: World, forwarded: string): Promise<number> {
  const answer = await fetch(`${world.server.url}/oauth/local`, {
    method: "POST",
    headers: { "x-forwarded-for": forwarded, "accept-encoding": "identity" },
    body: new URLSearchParams({ login: "none", username: "ada", password: "guess" }),
  });
  await answer.arrayBuffer();
  if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d?$/);
  return answer.status;
}

/** The line of the access log for a request, once it is written. */
async function loggedAddress(world: World, requestId: string): Promise<string> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    const line = world.server.log.split("\n").find((line) => line.includes(requestId));
    if (line !== undefined) return JSON.parse(line).remoteAddress;
    await sleep(25);
  }
  throw new Error(`no line of ${requestId} in:\n${world.server.log}`);
}

for (const [who, flags, seen] of [
  ["a trusted proxy", ["--trusted-proxies", "192.0.2.0/24,127.0.0.1"], "203.0.113.9"],
  ["a proxy that is not trusted", ["--trusted-proxies", "203.0.113.0/24"], "127.0.0.1"],
  ["an untrusted proxy", [], "127.0.0.1"],
] as const) {
  const isTrusted = seen !== "127.0.0.1";
  // Trust is decided before there is anything to store.
  for (const store of isTrusted ? STORES : STORES.slice(0, 1))
    onStore(
      store,
      `behind ${who}`,
      (world) => {
        for (const [protocol, createGroup] of Object.entries(CREATES)) {
          test(`audit log and access log have the client address over ${protocol}`, async () => {
            const requestId = randomUUID();
            await createGroup(world.server.url, world.name(), {
              authorization: `Bearer ${world.operator().token}`,
              "x-forwarded-for": FORWARDED,
              "x-request-id": requestId,
            });
            const rows = await rawRows<{ remote_address: string }>(
              world.server,
              `SELECT remote_address FROM audit WHERE request_id = '${requestId}'`,
            );
            assert.deepEqual(
              rows.map((row) => row.remote_address),
              [seen],
            );
            assert.equal(await loggedAddress(world, requestId), seen);
          });
        }

        test("sign-in attempts are counted by client address", async () => {
          const claims = (at: number) => `198.51.100.${at}, 203.0.113.9`;
          assert.equal(await refusedTries(world, claims), 1, "a client's claims do not help it");
          const others = await refusedTries(world, (at) => `203.0.113.${100 + at}`);
          assert.equal(others, isTrusted ? 0 : 101, "others have tries of their own");
          if (!isTrusted) return;
          const sameNetwork = (at: number) => `2001:db8:0:1::${at.toString(16)}`;
          assert.equal(await refusedTries(world, sameNetwork), 1, "a /64 is one client");
          const otherNetworks = (at: number) => `2001:db8:1:${at.toString(16)}::1`;
          assert.equal(await refusedTries(world, otherNetworks), 0);
        });
      },
      { flags: [...flags] },
    );
}
