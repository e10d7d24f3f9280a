/** Requests of every protocol wait for their turn before they are decoded, and are dropped if their client leaves. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { type TestContext, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { tooMany } from "../../lib/errors.ts";
import { open } from "../testing/open.ts";

const CREATE = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
const GROUPS = "/iam/v2beta1/groups";
const JSON_TYPE = "application/json";
/** A frame with an empty message. */
const FRAME = Buffer.alloc(5);

const PROTOCOLS: [name: string, headers: OutgoingHttpHeaders, body: string | Buffer][] = [
  ["REST without a body", { ":method": "GET", ":path": `${GROUPS}/x` }, ""],
  ["REST", { ":path": GROUPS, "content-type": JSON_TYPE }, "{}"],
  ["gRPC", { ":path": CREATE, "content-type": "application/grpc" }, FRAME],
  ["gRPC-Web", { ":path": CREATE, "content-type": "application/grpc-web" }, FRAME],
  ["Connect", { ":path": CREATE, "content-type": JSON_TYPE }, "{}"],
  ["an endpoint", { ":method": "GET", ":path": "/page" }, ""],
];

/** A port whose requests wait until the test lets them begin. */
async function waitingPort(t: TestContext) {
  const page = async () => ({ status: 200, headers: {}, body: `${handled.push("page")}` });
  const handled: string[] = [];
  const group = () => create(GroupSchema);
  const endpoint = { method: "GET", handle: page } as const;
  const port = await open(
    t,
    { CreateGroup: group, GetGroup: group },
    {
      endpoints: [
        { ...endpoint, path: "/page" },
        { ...endpoint, path: "/probe", isProbe: true },
      ],
    },
  );
  const arrived = Promise.withResolvers<void>();
  const turn = Promise.withResolvers<void>();
  port.methods.scheduling = async (incoming) => {
    arrived.resolve();
    await turn.promise;
    if (incoming.abandoned !== undefined) throw incoming.abandoned;
  };
  const session = connect(port.url);
  t.after(() => session.destroy());
  const send = (headers: OutgoingHttpHeaders, body: string | Buffer) => {
    const endStream = body.length === 0;
    const all = { ":method": "POST", te: "trailers", ...headers };
    const sent = session.request(all, { endStream });
    sent.on("error", () => {});
    sent.resume();
    if (!endStream) sent.end(body);
    return sent;
  };
  const run = () => port.methods.calls.length + handled.length;
  return { port, send, arrived: arrived.promise, turn, run };
}

for (const [name, headers, body] of PROTOCOLS) {
  test(`${name}: a request waits for its turn`, async (t) => {
    const { send, arrived, turn, run } = await waitingPort(t);
    const sent = send(headers, body);
    await arrived;
    assert.equal(run(), 0);
    turn.resolve();
    const [answer] = await once(sent, "response");
    assert.equal(answer[":status"], 200);
    assert.equal(run(), 1);
  });

  test(`${name}: a request whose client leaves while it waits is never run`, async (t) => {
    const { port, send, arrived, turn, run } = await waitingPort(t);
    const sent = send(headers, body);
    await arrived;
    sent.close(constants.NGHTTP2_CANCEL);
    // The server has noticed.
    while (port.events.length === 0) await new Promise(setImmediate);
    turn.resolve();
    await new Promise(setImmediate);
    assert.equal(run(), 0);
    assert.deepEqual(
      port.events.map(({ code }) => code),
      [1],
    );
  });

  test(`${name}: a request that finds the queue full is rejected`, async (t) => {
    const { port, send, arrived, turn, run } = await waitingPort(t);
    const sent = send(headers, body);
    await arrived;
    turn.reject(tooMany("too many requests are waiting", 1));
    await once(sent, "response");
    assert.equal(run(), 0);
    assert.deepEqual(
      port.events.map(({ code }) => code),
      [8],
    );
  });
}

test("probes do not wait", async (t) => {
  const { send, run } = await waitingPort(t);
  await once(send({ ":method": "GET", ":path": "/probe" }, ""), "response");
  assert.equal(run(), 1);
});
