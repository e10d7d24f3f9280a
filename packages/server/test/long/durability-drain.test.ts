import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CreateGroupRequestSchema, GroupSchema } from "@wharf/contract";
import pg from "pg";
import { ApiClient } from "../support/client/api-client.ts";
import { inParallel } from "../support/client/pagination.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

for (const store of STORES) {
  describe(`graceful shutdown of a server on ${store}`, () => {
    let server: TestServer;
    let operator: ApiClient;
    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      operator = new ApiClient({ url: server.url, token: await server.token() });
    });
    after(() => server.stop());

    test("finishes a request over HTTP/1 whose body is still coming, and exits with 0", async () => {
      const body = JSON.stringify({ name: "just in time" });
      const sent = httpRequest(`${server.url}/iam/v2beta1/groups`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${operator.token}`,
          "content-type": "application/json",
          "content-length": body.length,
          expect: "100-continue",
        },
      });
      const answered = once(sent, "response") as Promise<[IncomingMessage]>;
      sent.flushHeaders();
      await once(sent, "continue");
      sent.write(body.slice(0, 5));
      const exit = server.terminate();
      await untilRefused(server.url);
      sent.end(body.slice(5));
      const [answer] = await answered;
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers.connection, "close");
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const { uid } = JSON.parse(Buffer.concat(chunks).toString());
      assert.equal(await exit, 0);
      await server.restart();
      assert.equal((await operator.groups.get(uid)).name, "just in time");
    });

    test("finishes a gRPC call whose message is still coming, and exits with 0", async () => {
      const session = connectHttp2(server.url);
      const stream = session.request({
        ":method": "POST",
        ":path": "/wharf.iam.v2beta1.GroupsService/CreateGroup",
        "content-type": "application/grpc",
        te: "trailers",
        authorization: `Bearer ${operator.token}`,
      });
      const message = create(CreateGroupRequestSchema, { group: { name: "just in time" } });
      const frame = framed(toBinary(CreateGroupRequestSchema, message));
      await new Promise((resolve) => stream.write(frame.subarray(0, 7), resolve));
      // Frames are handled in order: when this ping is answered, the server has the stream.
      await new Promise((resolve) => session.ping(resolve));
      const exit = server.terminate();
      await untilRefused(server.url);
      const trailers = once(stream, "trailers");
      stream.end(frame.subarray(7));
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const [{ "grpc-status": status }] = await trailers;
      assert.equal(status, "0");
      const group = fromBinary(GroupSchema, Buffer.concat(chunks).subarray(5));
      assert.equal(await exit, 0);
      session.destroy();
      await server.restart();
      assert.equal((await operator.groups.get(group.uid)).name, "just in time");
    });

    test("keeps every write that it acknowledged while draining", async () => {
      const parent = (await operator.groups.create("", { name: "parent" })).uid;
      const attempts = Array.from({ length: 200 }, (_, at) => at);
      let exit: Promise<number | null> | undefined;
      const uids = await inParallel(attempts, async (at) => {
        if (at === 60) exit = server.terminate();
        return operator.groups.create(parent, { name: `group ${at}` }).then(
          (group) => group.uid as string,
          () => undefined,
        );
      });
      assert.equal(await exit, 0);
      await server.restart();
      const kept = uids.filter((uid) => uid !== undefined);
      assert.ok(kept.length >= 30, `${kept.length} were acknowledged`);
      const { groups, totalCount } = await operator.groups.list({
        uidp: { childrenOf: parent },
        pageSize: 200,
      });
      const found = new Set(groups.map((group: { uid: string }) => group.uid));
      for (const uid of kept) assert.ok(found.has(uid), uid);
      assert.equal(totalCount, String(found.size));
    });

    if (store === "postgres") {
      test("survives a database that drops all connections", async () => {
        const parent = (await operator.groups.create("", { name: "parent" })).uid;
        const create = (at: string) => operator.groups.create(at, { name: "group" });
        const kept: string[] = [];
        for (let round = 0; round < 3; round++) {
          const [tries] = await Promise.all([
            inParallel(Array.from({ length: 60 }), async (_, at) => {
              const call = at % 3 === 0 ? operator.groups.get(parent) : create(parent);
              return call.then(
                ({ uid }) => ({ uid, code: 0 }),
                ({ code }: { code: number }) => ({ uid: parent, code }),
              );
            }),
            dropConnections(server),
          ]);
          // Clients retry on UNAVAILABLE only.
          for (const { code } of tries) assert.ok(code === 0 || code === 14, `code ${code}`);
          kept.push(...tries.map(({ uid }) => uid).filter((uid) => uid !== parent));
          kept.push((await eventually(() => create(parent))).uid);
        }
        const query = { uidp: { childrenOf: parent }, pageSize: 200 };
        const list = await eventually(() => operator.groups.list(query));
        const found = list.groups.map((group: { uid: string }) => group.uid);
        assert.equal(list.totalCount, String(found.length));
        for (const uid of kept) assert.ok(found.includes(uid), uid);
        // With the next check of the store, if a check has failed, too.
        while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(50);
      });
    }
  });
}

/** Repeats a call while it is UNAVAILABLE: the server may not have noticed yet that a connection is closed. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await call().catch(({ code }) => assert.equal(code, 14));
    if (result !== undefined) return result;
  }
}

/** Resolves once nothing listens at the address any more. */
async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await Promise.race([
      once(socket, "connect").then(() => false),
      once(socket, "error").then(() => true),
    ]).catch(() => true);
    socket.destroy();
    if (refused) return;
  }
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function dropConnections(server: TestServer): Promise<void> {
  const client = new pg.Client({ connectionString: server.storeFlags[1] as string });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
}
