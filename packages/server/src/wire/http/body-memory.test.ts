/** The bodies of all requests together are bounded, over every protocol. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { type CreateGroupRequest, CreateGroupRequestSchema, GroupSchema } from "@wharf/contract";
import { open, type TestPort } from "../testing/open.ts";

const CREATE = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
const GROUPS = "/iam/v2beta1/groups";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const KIB = 1024;
/** This address may hold 1,792 KiB of large bodies, and 256 KiB of small ones. */
const LIMITS = { bodyBytes: 8 * 1024 * KIB, messageBytes: 4 * 1024 * KIB };
const JSON_TYPE = "Content-Type: application/json";
const WAITS = { timeout: 120_000 };

function start(t: TestContext): Promise<TestPort> {
  const CreateGroup = ({ group }: CreateGroupRequest) => group ?? create(GroupSchema);
  return open(t, { CreateGroup }, { limits: LIMITS });
}

function bodyOf(kibibytes: number): string {
  return JSON.stringify({ description: "x".repeat(kibibytes * KIB) });
}

/** A connection, and everything that it has received. */
function dial(t: TestContext, port: TestPort) {
  const socket = connect(port.address.port, "127.0.0.1");
  t.after(() => socket.destroy());
  // The server closes the connection of a rejected body while the rest of it is still being sent.
  socket.on("error", () => {});
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  const until = async (pattern: RegExp) => {
    while (!pattern.test(heard)) {
      if (socket.closed) assert.fail(`closed after ${JSON.stringify(heard)}`);
      await Promise.race([once(socket, "data"), once(socket, "close")]);
    }
    return heard;
  };
  const send = (...fields: string[]) =>
    socket.write(`POST ${GROUPS} HTTP/1.1\r\nHost: x\r\n${fields.join("\r\n")}\r\n\r\n`);
  return { socket, send, until };
}

/** Begins a request whose body takes most of what one address may hold; the result sends its body. */
async function occupy(t: TestContext, port: TestPort): Promise<() => Promise<unknown>> {
  const body = bodyOf(1_400);
  const { socket, send, until } = dial(t, port);
  send(JSON_TYPE, `Content-Length: ${body.length}`, "Expect: 100-continue");
  await until(/^HTTP\/1.1 100 /);
  return () => {
    socket.write(body);
    return until(/HTTP\/1.1 200 /);
  };
}

function post(port: TestPort, body: string | Buffer, headers: Record<string, string> = {}) {
  const all = { "content-type": "application/json", ...headers };
  return fetch(port.url + GROUPS, { method: "POST", headers: all, body });
}

function frame(kibibytes: number): Buffer {
  const request = create(CreateGroupRequestSchema, {
    group: { description: "x".repeat(kibibytes * KIB) },
  });
  const message = toBinary(CreateGroupRequestSchema, request);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Opens a call; its status comes as soon as the server knows it. */
function call(session: ClientHttp2Session, path = CREATE) {
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
  });
  stream.on("error", () => {});
  stream.resume();
  const status = new Promise<string>((resolve) => {
    for (const event of ["response", "trailers"] as const)
      stream.on(event, (fields) => {
        if (fields["grpc-status"] !== undefined) resolve(String(fields["grpc-status"]));
      });
  });
  return { stream, status };
}

function connectTo(t: TestContext, port: TestPort): ClientHttp2Session {
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  return session;
}

test("a large body is rejected from its Content-Length, a small one never", WAITS, async (t) => {
  const port = await start(t);
  const finish = await occupy(t, port);
  const { send, until } = dial(t, port);
  send(JSON_TYPE, `Content-Length: ${1_000 * KIB}`);
  const answer = await until(/\r\n\r\n.*\}/s);
  assert.match(answer, /^HTTP\/1.1 503 /);
  assert.match(answer, /^retry-after: 1\r$/im);
  assert.match(answer, /^connection: close\r$/im);
  assert.equal(JSON.parse(answer.slice(answer.indexOf("{"))).code, 14);
  assert.equal((await post(port, bodyOf(60))).status, 200);
  await finish();
  for (let n = 0; n < 5; n++) assert.equal((await post(port, bodyOf(1_400))).status, 200);
});

test("a body of unknown length is rejected when it has grown too large", WAITS, async (t) => {
  const port = await start(t);
  const finish = await occupy(t, port);
  const { socket, send, until } = dial(t, port);
  send(JSON_TYPE, "Transfer-Encoding: chunked");
  const chunk = "x".repeat(500 * KIB);
  socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  assert.match(await until(/\r\n\r\n/), /^HTTP\/1.1 503 /);
  await finish();
});

test("decompressed bytes count as they come out", WAITS, async (t) => {
  const port = await start(t);
  const gzip = { "content-encoding": "gzip" };
  const small = gzipSync(bodyOf(1_000));
  assert.ok(small.length < 10 * KIB);
  assert.equal((await post(port, small, gzip)).status, 200);
  const finish = await occupy(t, port);
  assert.equal((await post(port, small, gzip)).status, 503);
  await finish();
});

test("a gRPC message is rejected from its length, and all bytes are returned", WAITS, async (t) => {
  const port = await start(t);
  const session = connectTo(t, port);
  const finish = await occupy(t, port);
  const large = frame(1_000);
  const rejected = call(session);
  rejected.stream.write(large.subarray(0, 10));
  assert.equal(await rejected.status, "14");
  const small = call(session);
  small.stream.end(frame(60));
  assert.equal(await small.status, "0");
  await finish();
  for (let n = 0; n < 5; n++) {
    const accepted = call(session);
    accepted.stream.end(large);
    assert.equal(await accepted.status, "0");
  }
});

test(
  "unfinished small messages are bounded together, also in streaming calls",
  WAITS,
  async (t) => {
    for (const path of [CREATE, REFLECTION]) {
      const port = await start(t);
      const session = connectTo(t, port);
      const calls = Array.from({ length: 8 }, () => call(session, path));
      const unfinished = frame(60).subarray(0, -1);
      for (const { stream } of calls) stream.write(unfinished);
      assert.equal(await Promise.race(calls.map(({ status }) => status)), "14", path);
      session.destroy();
    }
  },
);

test("a streaming call may send any number of messages", WAITS, async (t) => {
  const port = await start(t);
  const { stream, status } = call(connectTo(t, port), REFLECTION);
  // ServerReflectionRequest with the field `list_services`, which is a long string.
  const text = Buffer.alloc(30 * KIB, "x");
  const message = Buffer.concat([Buffer.from([0x3a, 0x80, 0xf0, 0x01]), text]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  for (let n = 0; n < 20; n++) stream.write(Buffer.concat([head, message]));
  stream.end();
  assert.equal(await status, "0");
});
