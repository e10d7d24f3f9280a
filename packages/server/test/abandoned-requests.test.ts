/** Requests whose clients gave up while they waited for the store are not executed. */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { connect as connectHttp2, constants, type OutgoingHttpHeaders } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { CreateGroupRequestSchema } from "@wharf/contract";
import { openStore } from "../src/store/db/open.ts";
import type { Store } from "../src/store/db/store.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { onEachStore } from "./support/world/world.ts";

/** The canonical codes in the log. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;

/** Every request of a test. */
const REQUESTS = 5;

/** Sends a create that the test abandons. */
type Send = (api: ApiClient, parent: string, name: string) => Abandon;
type Abandon = () => void;

/** The store of the server under test, set by each world. */
let opened: Store;
/** Writes that wait for the store, or have done so. */
let arrived = 0;

const open: typeof openStore = async (...args) => {
  const store = await openStore(...args);
  const writeFor = store.writeFor.bind(store);
  store.writeFor = (request, work) => {
    arrived += 1;
    return writeFor(request, work);
  };
  opened = store;
  return store;
};

const overHttp1: Send = (api, parent, name) => {
  const sent = httpRequest(`${api.url}/iam/v2beta1/groups/${parent}`, {
    agent: false,
    method: "POST",
    headers: { authorization: `Bearer ${api.token}`, "content-type": "application/json" },
  });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ name }));
  return () => sent.destroy();
};

const overHttp2: Send = (api, parent, name) => {
  const headers = { ":path": `/iam/v2beta1/groups/${parent}`, "content-type": "application/json" };
  return stream(api, headers, Buffer.from(JSON.stringify({ name })));
};

const overGrpc =
  (timeout: OutgoingHttpHeaders = {}): Send =>
  (api, parent, name) => {
    const message = create(CreateGroupRequestSchema, { parent, group: { name } });
    const bytes = toBinary(CreateGroupRequestSchema, message);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.length, 1);
    const path = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
    const headers = { ":path": path, "content-type": "application/grpc", ...timeout };
    return stream(api, headers, Buffer.concat([head, bytes]));
  };

/** Sends a request on a connection of its own, and resets the stream when it is abandoned. */
function stream(api: ApiClient, headers: OutgoingHttpHeaders, body: Buffer): Abandon {
  const session = connectHttp2(api.url);
  const authorization = `Bearer ${api.token}`;
  const sent = session.request({ ":method": "POST", authorization, te: "trailers", ...headers });
  sent.on("error", () => {});
  sent.on("close", () => session.close());
  sent.resume();
  sent.end(body);
  return () => sent.close(constants.NGHTTP2_CANCEL);
}

onEachStore(
  "requests that their clients abandon",
  (world) => {
    /** Stalls all writes until the returned function is called. */
    const stall = async (): Promise<() => Promise<void>> => {
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      let finished: Promise<void> | undefined;
      await new Promise<void>((begun) => {
        finished = opened.write(() => {
          begun();
          return gate;
        });
      });
      return () => {
        release();
        return finished as Promise<void>;
      };
    };
    const until = async (what: string, holds: () => boolean) => {
      const gaveUp = Date.now() + 60_000;
      while (!holds()) {
        if (Date.now() > gaveUp) assert.fail(`not within a minute: ${what}`);
        await sleep(5);
      }
    };
    const logged = (code: number) =>
      world.server.log.split("\n").filter((line) => line.includes(`CreateGroup","code":${code},`))
        .length;

    for (const [how, send, code] of [
      ["a closed connection", overHttp1, CANCELLED],
      ["a reset stream", overHttp2, CANCELLED],
      ["a canceled gRPC call", overGrpc(), CANCELLED],
      ["an expired gRPC deadline", overGrpc({ "grpc-timeout": "500m" }), DEADLINE_EXCEEDED],
    ] as const) {
      world.rule(`${how}: nothing is created, and the log has code ${code}`, async (api) => {
        const org = await world.organization();
        const release = await stall();
        const before = { arrived, logged: logged(code) };
        const sent = Array.from({ length: REQUESTS }, (_, n) => send(api, org, `lost-${n}`));
        if (code === CANCELLED) {
          await until("all requests wait", () => arrived === before.arrived + REQUESTS);
          for (const abandon of sent) abandon();
        }
        await until("all are abandoned", () => logged(code) === before.logged + REQUESTS);
        await release();
        // Created after all that waited before it.
        const kept = await api.groups.create(org, { name: "kept" });
        const { groups } = await api.groups.list({ uidp: { childrenOf: org } });
        assert.deepEqual(
          groups.map(({ uid }: { uid: string }) => uid),
          [kept.uid],
        );
        const sql = "SELECT count(*) AS n FROM events WHERE group_uid LIKE ?";
        const events = await opened.reader.get<{ n: number }>(sql, `${org}/%`);
        assert.equal(Number(events?.n), 1, "one event");
        for (const abandon of sent) abandon();
      });
    }

    world.rule("a write that has begun runs to its end", async () => {
      const request: { abandoned?: Error } = {};
      const name = "begun";
      const sql = "INSERT INTO installation (name, value) VALUES (?, '')";
      await opened.writeFor(request as object, async (tx) => {
        request.abandoned = new Error("the client is gone");
        await tx.run(sql, name);
      });
      const row = await opened.reader.get("SELECT name FROM installation WHERE name = ?", name);
      assert.ok(row);
    });
  },
  { open },
);
