import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { open } from "../testing/open.ts";

const GROUP = { GetGroup: () => create(GroupSchema) };
const PATH = "/iam/v2beta1/groups/a";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const WEB = { "content-type": "application/grpc-web+proto" };

test("a draining port serves old and new connections, and HTTP/1 responses close theirs", async (t) => {
  const port = await open(t, GROUP);
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  await once(session, "remoteSettings");
  port.drain();

  for (let request = 0; request < 2; request++) {
    const answer = await fetch(port.url + PATH);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("connection"), "close");
    await answer.arrayBuffer();
  }
  const web = await fetch(`${port.url}/wharf.iam.v2beta1.GroupsService/GetGroup`, {
    method: "POST",
    headers: WEB,
    body: Buffer.alloc(5),
  });
  assert.equal(web.headers.get("connection"), "close");
  await web.arrayBuffer();

  const later = connectHttp2(port.url);
  t.after(() => later.destroy());
  for (const one of [session, later]) {
    const stream = one.request({ ":path": PATH });
    const [headers] = await once(stream, "response");
    assert.equal(headers[":status"], 200);
    assert.equal(headers.connection, undefined);
    stream.close();
    assert.equal(one.closed, false, "no GOAWAY yet");
  }
});

test("a closing port ends idle sessions with GOAWAY and streaming calls with UNAVAILABLE", async (t) => {
  const port = await open(t, GROUP);
  const idle = connectHttp2(port.url);
  const busy = connectHttp2(port.url);
  t.after(() => {
    idle.destroy();
    busy.destroy();
  });
  await Promise.all([once(idle, "remoteSettings"), once(busy, "remoteSettings")]);
  const stream = busy.request({
    ":method": "POST",
    ":path": REFLECTION,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.resume();
  // Frames are handled in order: when this ping is answered, the stream is known.
  await new Promise((resolve) => busy.ping(resolve));
  const goaway = once(idle, "goaway");
  const trailers = once(stream, "trailers");
  await Promise.all([port.close(60_000), goaway, trailers]);
  assert.equal((await goaway)[0], 0);
  assert.equal((await trailers)[0]["grpc-status"], "14");
});

test("a closing port does not wait for connections that never sent anything", async (t) => {
  const port = await open(t, GROUP);
  const socket = connect(port.address.port, "127.0.0.1");
  await once(socket, "connect");
  // Connections are accepted in order.
  await (await fetch(port.url + PATH)).arrayBuffer();
  const closed = once(socket, "close");
  await Promise.all([port.close(60_000), closed]);
});

test("a request that the kernel has received before the port closes is answered", async (t) => {
  const port = await open(t, GROUP);
  const socket = connect(port.address.port, "127.0.0.1");
  const request = `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(request);
  await once(socket, "data");
  const answered = once(socket, "data");
  await new Promise((resolve) => socket.write(request, resolve));
  await port.close(60_000);
  assert.match(String((await answered)[0]), /^HTTP\/1.1 200 /);
});
