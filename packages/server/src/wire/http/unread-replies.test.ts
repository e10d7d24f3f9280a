import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { GetGroupRequestSchema, GroupSchema } from "@wharf/contract";
import { encodeFrame } from "../grpc/frame.ts";
import { open } from "../testing/open.ts";

const GET = "/wharf.iam.v2beta1.GroupsService/GetGroup";
const MIB = 1024 * 1024;

/** A port whose groups are long, or short, and that holds two long ones at most. */
async function withLongAnswers(t: TestContext, more = {}): Promise<ClientHttp2Session> {
  const port = await open(
    t,
    {
      GetGroup: ({ uid }: { uid: string }) => {
        return create(GroupSchema, { description: uid === "long" ? "x".repeat(2 * MIB) : "" });
      },
    },
    { limits: { unreadBytes: 5 * MIB, ...more } },
  );
  const session = connect(port.url);
  t.after(() => session.destroy());
  return session;
}

/** Sends a request and reads only the headers: the status, if the response is trailers-only. */
async function ask(
  session: ClientHttp2Session,
  uid: string,
  type = "application/grpc",
): Promise<{ stream: ClientHttp2Stream; status: unknown }> {
  const stream = session.request({ ":method": "POST", ":path": GET, "content-type": type });
  stream.on("error", () => {});
  stream.end(
    encodeFrame(0, toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid }))),
  );
  const [head] = await once(stream, "response");
  return { stream, status: head["grpc-status"] };
}

/** Asks again until there is room. */
async function askUntilAnswered(session: ClientHttp2Session): Promise<ClientHttp2Stream> {
  for (;;) {
    const { stream, status } = await ask(session, "long");
    if (status === undefined) return stream;
  }
}

test("unread long replies are bounded", async (t) => {
  const session = await withLongAnswers(t);
  const first = await ask(session, "long");
  const second = await ask(session, "long");
  assert.deepEqual([first.status, second.status], [undefined, undefined]);
  assert.equal((await ask(session, "long")).status, "8");
  const short = await ask(session, "short");
  assert.equal(short.status, undefined, "others do not notice");

  first.stream.resume();
  const [trailers] = await once(first.stream, "trailers");
  assert.equal(trailers["grpc-status"], "0");
  const third = await askUntilAnswered(session);
  assert.equal((await ask(session, "long")).status, "8");
  second.stream.close();
  await askUntilAnswered(session);
  assert.ok(!third.destroyed);
});

test("unread replies of gRPC-Web count, too", async (t) => {
  const session = await withLongAnswers(t);
  const web = "application/grpc-web+proto";
  for (let count = 0; count < 2; count++) await ask(session, "long", web);
  assert.equal((await ask(session, "long")).status, "8");
  const { stream } = await ask(session, "long", web);
  const chunks: Buffer[] = await stream.toArray();
  assert.match(Buffer.concat(chunks).toString(), /grpc-status: 8\r\n/);
});

for (const type of ["application/grpc", "application/grpc-web+proto"]) {
  test(`a client that does not read is disconnected: ${type}`, {
    timeout: 60_000,
  }, async (t) => {
    const session = await withLongAnswers(t, { idleMs: 200, requestMs: 200 });
    for (let count = 0; count < 2; count++) await ask(session, "long", type);
    await askUntilAnswered(session);
  });
}
