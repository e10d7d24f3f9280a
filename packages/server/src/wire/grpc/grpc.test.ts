import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@grpc/grpc-js";
import type { GetGroupRequest } from "@wharf/contract";
import { GetGroupRequestSchema, GroupSchema } from "@wharf/contract";
import {
  ErrorInfoSchema,
  ResourceInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import { notFound, WharfError } from "../../lib/errors.ts";
import { GrpcClient } from "../testing/grpc-client.ts";
import { open } from "../testing/open.ts";
import { encodeFrame } from "./frame.ts";

const GET = "/wharf.iam.v2beta1.GroupsService/GetGroup";
const GROUP = { GetGroup: ({ uid }: { uid: string }) => create(GroupSchema, { uid }) };

for (const service of [
  "wharf.iam.v2beta1.GroupsService",
  "chainguard.platform.iam.v2beta1.GroupsService",
  "wharf.iam.v2.GroupsService",
  "chainguard.platform.iam.v2.GroupsService",
]) {
  test(`an independent client can call ${service}`, async (t) => {
    const port = await open(t, GROUP);
    const client = new GrpcClient(t, port.url);
    const request = create(GetGroupRequestSchema, { uid: "a/b" });
    const group = await client.unary(
      `/${service}/GetGroup`,
      GetGroupRequestSchema,
      request,
      GroupSchema,
    );
    assert.equal(group.uid, "a/b");
    assert.equal(port.events[0]?.method, "wharf.iam.v2beta1.GroupsService/GetGroup");
    assert.equal(port.events[0]?.protocol, "grpc");
  });
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => assert.fail("the call should have failed"),
    (error: ServiceError) => error,
  );
}

function get(client: GrpcClient, uid: string, options = {}) {
  const request = create(GetGroupRequestSchema, { uid });
  return client.unary(GET, GetGroupRequestSchema, request, GroupSchema, options);
}

test("errors carry code, text and details", async (t) => {
  const port = await open(t, {
    GetGroup: ({ uid }: { uid: string }) => {
      throw notFound("Group", uid);
    },
  });
  const error = await failure(get(new GrpcClient(t, port.url), "100 % größe"));
  assert.equal(error.code, 5);
  assert.equal(error.details, 'Not found: Group "100 % größe" does not exist');
  const [binary] = error.metadata.get("grpc-status-details-bin");
  const status = fromBinary(StatusSchema, binary as Buffer);
  const [info, resource] = status.details;
  assert.ok(info && resource);
  assert.equal(anyUnpack(info, ErrorInfoSchema)?.reason, "NOT_FOUND");
  assert.equal(anyUnpack(resource, ResourceInfoSchema)?.resourceName, "100 % größe");
});

test("unknown and unserved methods are UNIMPLEMENTED", async (t) => {
  const port = await open(t, {});
  const client = new GrpcClient(t, port.url);
  const request = create(GetGroupRequestSchema);
  const unknown = client.unary("/no.Service/No", GetGroupRequestSchema, request, GroupSchema);
  assert.equal((await failure(unknown)).code, 12);
  assert.equal((await failure(get(client, "a"))).code, 12);
  assert.deepEqual(
    port.events.map((event) => event.method),
    ["-", "wharf.iam.v2beta1.GroupsService/GetGroup"],
  );
});

test("the token and the deadline of a call reach the method", async (t) => {
  const seen: { authorization: unknown; format: unknown; signal: AbortSignal }[] = [];
  const port = await open(t, {
    GetGroup: (_: unknown, { authorization, format, signal }) => {
      seen.push({ authorization, format, signal });
      return new Promise(() => {});
    },
  });
  const client = new GrpcClient(t, port.url);
  // On a busy machine, a deadline can be over before the call has reached the method.
  for (let ms = 100; seen.length === 0; ms *= 2) {
    const options = { metadata: { authorization: "Bearer t" }, deadline: Date.now() + ms };
    assert.equal((await failure(get(client, "a", options))).code, 4);
  }
  const [{ authorization, format, signal } = assert.fail()] = seen;
  assert.deepEqual([authorization, format], ["Bearer t", "binary"]);
  if (!signal.aborted) await once(signal, "abort");
});

test("messages are compressed both ways", async (t) => {
  const description = "x".repeat(200_000);
  const port = await open(t, { GetGroup: () => create(GroupSchema, { description }) });
  const client = new GrpcClient(t, port.url);
  assert.equal((await get(client, "a")).description, description);
  assert.ok((port.events[0]?.bytesOut ?? 0) < 10_000);
  const packed = gzipSync(toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema)));
  const { trailers } = await raw(port.url, [encodeFrame(1, packed)], { "grpc-encoding": "gzip" });
  assert.equal(trailers["grpc-status"], "0");
});

test("a reply that cannot be encoded is INTERNAL without details", async (t) => {
  const port = await open(t, {
    GetGroup: () => {
      throw new WharfError("INTERNAL", "x".repeat(100_000));
    },
  });
  assert.equal((await failure(get(new GrpcClient(t, port.url), "a"))).code, 13);
});

async function raw(url: string, chunks: Buffer[], headers = {}) {
  const session = connect(url);
  const stream = session.request({
    ":method": "POST",
    ":path": GET,
    "content-type": "application/grpc",
    ...headers,
  });
  let trailers: Record<string, unknown> = {};
  stream.on("response", (head) => {
    trailers = { ...head };
  });
  stream.on("trailers", (tail) => {
    trailers = { ...trailers, ...tail };
  });
  stream.on("error", () => {});
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  stream.resume();
  await new Promise((resolve) => stream.on("close", resolve));
  session.destroy();
  return { trailers };
}

for (const [what, chunks, headers, code] of [
  ["no message", [], {}, "12"],
  ["two messages", [encodeFrame(0, Buffer.alloc(0)), encodeFrame(0, Buffer.alloc(0))], {}, "12"],
  ["a truncated message", [encodeFrame(0, Buffer.alloc(9)).subarray(0, 8)], {}, "3"],
  ["a truncated prefix", [Buffer.from([0, 0])], {}, "3"],
  ["bytes that are no message", [encodeFrame(0, Buffer.from([0x0a, 0xff, 0xff]))], {}, "3"],
  ["a compressed flag without encoding", [encodeFrame(1, Buffer.alloc(3))], {}, "3"],
  ["bytes that are not gzip", [encodeFrame(1, Buffer.alloc(3))], { "grpc-encoding": "gzip" }, "3"],
  ["an unknown encoding", [encodeFrame(1, Buffer.alloc(3))], { "grpc-encoding": "br" }, "12"],
  ["an announced size beyond the limit", [Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1])], {}, "8"],
  [
    "a gzip bomb",
    [encodeFrame(1, gzipSync(Buffer.alloc(8 * 1024 * 1024)))],
    { "grpc-encoding": "gzip" },
    "8",
  ],
  ["an invalid timeout", [encodeFrame(0, Buffer.alloc(0))], { "grpc-timeout": "soon" }, "3"],
] as const) {
  test(`${what} fails with code ${code}`, async (t) => {
    const port = await open(t, GROUP);
    const { trailers } = await raw(port.url, [...chunks], headers);
    assert.equal(trailers["grpc-status"], code);
    assert.equal(port.events.length, 1);
  });
}

test("a message may come byte by byte", async (t) => {
  const port = await open(t, GROUP);
  const message = toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid: "slow" }));
  const bytes = [...encodeFrame(0, message)].map((byte) => Buffer.from([byte]));
  assert.equal((await raw(port.url, bytes)).trailers["grpc-status"], "0");
  const request = port.methods.calls[0]?.request as GetGroupRequest;
  assert.equal(request.uid, "slow");
});

for (const [type, encode, decode] of [
  ["application/grpc-web+proto", (b: Buffer) => b, (b: Buffer) => b],
  [
    "application/grpc-web-text",
    (b: Buffer) => b.toString("base64"),
    (b: Buffer) => Buffer.from(b.toString(), "base64"),
  ],
] as const) {
  test(`${type} has its trailers in the body`, async (t) => {
    const port = await open(t, GROUP);
    const message = toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid: "web" }));
    const call = async (body: string | Buffer) => {
      const headers = { "content-type": type };
      const answer = await fetch(port.url + GET, { method: "POST", headers, body });
      return decode(Buffer.from(await answer.arrayBuffer()));
    };
    const bytes = await call(encode(encodeFrame(0, message)));
    const size = bytes.readUInt32BE(1);
    assert.equal(fromBinary(GroupSchema, bytes.subarray(5, 5 + size)).uid, "web");
    assert.equal(bytes[5 + size], 0x80);
    assert.equal(bytes.subarray(10 + size).toString(), "grpc-status: 0\r\n");
    const bad = await call(encode(Buffer.from([0, 0, 0])));
    assert.match(bad.subarray(5).toString(), /^grpc-status: 3\r\n/);
    assert.equal(port.events[0]?.protocol, "grpc-web");
  });
}

test("text that is nearly base64 is rejected at once, however long it is", async (t) => {
  const port = await open(t, GROUP);
  const headers = { "content-type": "application/grpc-web-text" };
  const message = toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid: "web" }));
  const pieces =
    encodeFrame(0, message)
      .toString("base64")
      .match(/.{1,4}/g) ?? [];
  const status = async (body: string) => {
    const answer = await fetch(port.url + GET, { method: "POST", headers, body });
    const text = Buffer.from(await answer.text(), "base64").toString();
    return /grpc-status: (\d+)/.exec(text)?.[1];
  };
  for (const bad of [
    `${"A".repeat(60)}*`,
    `${"AA==".repeat(60)}*`,
    `${"A".repeat(200_000)}=A===`,
    "AA==".repeat(101),
  ]) {
    assert.equal(await status(bad), "3");
  }
  const padded = pieces.map((piece) => Buffer.from(piece, "base64").toString("base64"));
  assert.equal(await status(padded.join("")), "0", "pieces may be padded one by one");
});
