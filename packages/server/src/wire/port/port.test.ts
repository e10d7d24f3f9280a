import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { type CreateGroupRequest, type GetGroupRequest, GroupSchema } from "@wharf/contract";
import type { TestPort } from "../testing/open.ts";
import { open } from "../testing/open.ts";

const GROUP = { GetGroup: () => create(GroupSchema) };
const GET = "GET /iam/v2beta1/groups/a HTTP/1.1\r\nHost: x\r\n\r\n";
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Sends bytes and returns all that came back until the other side hung up. */
async function talk(port: TestPort, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = dial(port);
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  socket.on("error", () => {});
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (!socket.closed) await once(socket, "close");
  return heard;
}

function dial(port: TestPort): Socket {
  return connect(port.address.port, "127.0.0.1");
}

function json(heard: string) {
  return JSON.parse(heard.slice(heard.indexOf("\r\n\r\n") + 4));
}

test("a silent socket is closed", async (t) => {
  const port = await open(t, GROUP, { limits: { handshakeMs: 50 } });
  assert.equal(await talk(port), "");
});

test("a socket that stops within the HTTP/2 preface is closed, using no CPU", async (t) => {
  const port = await open(t, GROUP, { limits: { handshakeMs: 300 } });
  const before = process.cpuUsage();
  assert.equal(await talk(port, "PRI * HT", "TP/2.0\r\n"), "");
  assert.ok(process.cpuUsage(before).user < 150_000);
});

test("a preface in fragments is still HTTP/2", async (t) => {
  const port = await open(t, GROUP);
  const socket = dial(port);
  for (const letter of PREFACE) {
    socket.write(letter);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const [settings] = (await once(socket, "data")) as [Buffer];
  assert.equal(settings[3], 4);
  socket.destroy();
});

test("a request in fragments is answered, even if it begins like a preface", async (t) => {
  const port = await open(t, GROUP);
  const close = GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  assert.match(
    await talk(port, close.slice(0, 1), close.slice(1, 30), close.slice(30)),
    /^HTTP\/1.1 200/,
  );
  assert.match(
    await talk(port, "PR", "OPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    / 404 /,
  );
});

for (const [what, bytes] of [
  ["garbage", Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0xff])],
  ["a header with a null byte", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n"],
  ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
  ["no host", "GET / HTTP/1.1\r\n\r\n"],
] as const) {
  test(`${what} gets 400 and the connection is closed`, async (t) => {
    const port = await open(t, GROUP);
    assert.match(await talk(port, bytes), /^HTTP\/1.1 400 /);
  });
}

test("pipelined requests, with bodies and without, are answered in order", async (t) => {
  const port = await open(t, {
    GetGroup: ({ uid }: GetGroupRequest) => create(GroupSchema, { name: uid }),
    CreateGroup: ({ group }: CreateGroupRequest) => group,
  });
  const body = '{"name":"posted"}';
  const first = `${GET}POST /iam/v2beta1/groups/p HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const last = "GET /iam/v2beta1/groups/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const heard = await talk(port, first + GET + last);
  const names = [...heard.matchAll(/"name":"(\w*)"/g)].map(([, name]) => name);
  assert.deepEqual(names, ["a", "posted", "a", "b"]);
});

test("garbage after the preface ends the connection and nothing else", async (t) => {
  const port = await open(t, GROUP);
  await talk(port, PREFACE, Buffer.alloc(200, 0xee));
  assert.equal((await fetch(`${port.url}/iam/v2beta1/groups/a`)).status, 200);
});

test("slow headers time out", async (t) => {
  const port = await open(t, GROUP, { limits: { headersMs: 100, requestMs: 100 } });
  const heard = await talk(port, "GET / HTTP/1.1\r\n", "Host: x\r\n", "A: b\r\n");
  assert.match(heard, /^HTTP\/1.1 408 /);
  assert.equal(json(heard).code, 4);
});

test("a slow body times out", async (t) => {
  const answers = { CreateGroup: () => create(GroupSchema) };
  const port = await open(t, answers, { limits: { requestMs: 100, headersMs: 2_000 } });
  const head = "POST /iam/v2beta1/groups HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";
  assert.match(await talk(port, head, "{", "}"), /^HTTP\/1.1 504 /);
});

test("headers, URLs and bodies beyond their limits have their own statuses", async (t) => {
  const answers = { ...GROUP, CreateGroup: () => create(GroupSchema) };
  const port = await open(t, answers, { limits: { messageBytes: 100, urlBytes: 100 } });
  const header = `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(20_000)}\r\n\r\n`;
  const large = await talk(port, header);
  assert.match(large, /^HTTP\/1.1 431 /);
  assert.equal(json(large).code, 8);
  const url = await fetch(`${port.url}/${"a".repeat(200)}`);
  assert.equal(url.status, 414);
  const head = "POST /iam/v2beta1/groups HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunked = await talk(port, head, `c8\r\n${"x".repeat(200)}\r\n`);
  assert.match(chunked, /^HTTP\/1.1 413 /);
  const announced = head.replace("Transfer-Encoding: chunked", "Content-Length: 200");
  assert.match(await talk(port, announced), /^HTTP\/1.1 413 /);
});

test("a client that sends everything before it reads still gets the error", async (t) => {
  const answers = { CreateGroup: () => create(GroupSchema) };
  const port = await open(t, answers, { limits: { messageBytes: 100 } });
  const body = "x".repeat(32 * 1024 * 1024);
  const socket = dial(port);
  socket.pause();
  const sent = new Promise((resolve, reject) => {
    socket.on("error", reject);
    const head = "POST /iam/v2beta1/groups HTTP/1.1\r\nHost: x\r\nContent-Length:";
    socket.write(`${head} ${body.length}\r\n\r\n${body}`, resolve);
  });
  await sent;
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1.1 413 /);
});

test("a client that keeps sending after the response is disconnected", async (t) => {
  const answers = { CreateGroup: () => create(GroupSchema) };
  const port = await open(t, answers, { limits: { messageBytes: 100, requestMs: 1_000 } });
  const socket = connect({ port: port.address.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  socket.resume();
  socket.write("POST /iam/v2beta1/groups HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
  const endless = setInterval(() => socket.write("x".repeat(1000)), 20);
  t.after(() => clearInterval(endless));
  await new Promise((resolve) => socket.on("close", resolve));
});

test("a client that resets streams repeatedly is disconnected", async (t) => {
  const answers = { GetGroup: () => new Promise(() => {}) };
  const port = await open(t, answers, { limits: { resetBurst: 10, resetsPerSecond: 1 } });
  const session = connectHttp2(port.url);
  session.on("error", () => {});
  const gone = new Promise((resolve) => session.on("close", resolve));
  for (let n = 0; n < 200 && !session.destroyed; n++) {
    const stream = session.request({ ":path": "/iam/v2beta1/groups/a" });
    stream.on("error", () => {});
    stream.close(8);
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await gone;
});

test("closing finishes requests in progress and rejects new ones", async (t) => {
  const release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const port = await open(t, {
    GetGroup: async () => {
      started.resolve();
      await release.promise;
      return create(GroupSchema, { name: "late" });
    },
  });
  const idle = dial(port);
  idle.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  const session = connectHttp2(port.url);
  await once(session, "connect");
  const answer = fetch(`${port.url}/iam/v2beta1/groups/a`);
  await started.promise;
  const closed = port.close(5_000);
  await Promise.all([once(idle, "close"), once(session, "close")]);
  await assert.rejects(fetch(`${port.url}/openapi.json`));
  release.resolve();
  const late = await answer;
  assert.equal(late.headers.get("connection"), "close");
  assert.equal(((await late.json()) as { name: string }).name, "late");
  await closed;
});

test("closing disconnects the rest after the grace period", async (t) => {
  const port = await open(t, { GetGroup: () => new Promise(() => {}) });
  const answer = fetch(`${port.url}/iam/v2beta1/groups/a`);
  while (port.methods.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([assert.rejects(answer), port.close(50)]);
});

test("connections of a held port are served once it starts, over HTTP/1 and HTTP/2", async (t) => {
  const port = await open(t, GROUP, { held: true });
  const get = fetch(`${port.url}/iam/v2beta1/groups/a`);
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  const stream = session.request({ ":path": "/iam/v2beta1/groups/a" });
  const answered = once(stream, "response");
  await once(session, "connect");
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(port.events.length, 0);
  port.start();
  assert.equal((await get).status, 200);
  const [headers] = await answered;
  assert.equal(headers[":status"], 200);
});

test("closing a held port ends its connections unanswered", async (t) => {
  const port = await open(t, GROUP, { held: true });
  const heard = talk(port, GET);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await port.close(0);
  assert.equal(await heard, "");
});
