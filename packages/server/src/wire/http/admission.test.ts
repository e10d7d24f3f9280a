/** Credentials come before bodies: what is rejected from its headers alone, and how bodies are bounded. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { type CreateGroupRequest, GroupSchema, RawTokenSchema } from "@wharf/contract";
import { unauthenticated } from "../../lib/errors.ts";
import type { Limits } from "../limits.ts";
import { open, type TestPort } from "../testing/open.ts";

const CREATE = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
const EXCHANGE = "/wharf.oidc.SecurityTokenService/Exchange";
const GROUPS = "/iam/v2beta1/groups";

/** Timeout after which nothing comes any more, on the slowest machine. */
const WAITS = { timeout: 120_000 };

/** A port that accepts the token "good", and whose methods return what they were sent. */
async function guarded(t: TestContext, limits: Partial<Limits> = {}): Promise<TestPort> {
  const answers = {
    CreateGroup: ({ group }: CreateGroupRequest) => group ?? create(GroupSchema),
    Exchange: () => create(RawTokenSchema),
  };
  const port = await open(t, answers, { limits });
  port.methods.admission = ({ authorization }) =>
    authorization === "Bearer good" ? "admitted" : Promise.reject(unauthenticated("no"));
  return port;
}

function dial(t: TestContext, port: TestPort): { socket: Socket; heard: () => string } {
  const socket = connect(port.address.port, "127.0.0.1");
  t.after(() => socket.destroy());
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  return { socket, heard: () => heard };
}

/** Writes to a port and waits until the responses match. */
async function until(socket: Socket, heard: () => string, pattern: RegExp): Promise<string> {
  while (!pattern.test(heard())) {
    if (socket.closed) assert.fail(`closed after ${JSON.stringify(heard())}`);
    await Promise.race([once(socket, "data"), once(socket, "close")]);
  }
  return heard();
}

function head(path: string, ...fields: string[]): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
}

for (const [how, fields] of [
  ["of known length", ["Content-Length: 1000000"]],
  ["in chunks", ["Transfer-Encoding: chunked"]],
  ["with 100-continue", ["Content-Length: 1000000", "Expect: 100-continue"]],
] as const) {
  for (const [protocol, path, type, answer] of [
    ["REST", GROUPS, "application/json", /^HTTP\/1.1 401 /],
    ["gRPC-Web", CREATE, "application/grpc-web", /^HTTP\/1.1 200 [\s\S]*grpc-status: 16/],
  ] as const) {
    test(
      `${protocol} rejects a caller before a body ${how}, and closes the connection`,
      WAITS,
      async (t) => {
        const port = await guarded(t);
        const { socket, heard } = dial(t, port);
        socket.write(head(path, `Content-Type: ${type}`, "Authorization: Bearer bad", ...fields));
        const answered = await until(socket, heard, answer);
        assert.match(answered, /^connection: close/im);
        assert.doesNotMatch(answered, / 100 /);
        if (!socket.closed) await once(socket, "close");
        assert.equal(port.methods.calls.length, 0);
      },
    );
  }
}

test("a body with 100-continue is asked for once its caller is admitted", WAITS, async (t) => {
  const { socket, heard } = dial(t, await guarded(t));
  const fields = ["Authorization: Bearer good", "Content-Length: 12", "Expect: 100-continue"];
  socket.write(head(GROUPS, ...fields));
  await until(socket, heard, /^HTTP\/1.1 100 Continue\r\n\r\n$/);
  socket.write('{"name":"a"}');
  assert.match(await until(socket, heard, /"name"/), /HTTP\/1.1 200 [\s\S]*"name":"a"/);
});

test("a rejected request with a short body leaves its connection usable", WAITS, async (t) => {
  const { socket, heard } = dial(t, await guarded(t));
  const body = '{"name":"a"}';
  const request = (token: string, from = 0, to = body.length) =>
    head(GROUPS, `Authorization: Bearer ${token}`, `Content-Length: ${body.length}`) +
    body.slice(from, to);
  socket.write(request("bad", 0, 3));
  await until(socket, heard, / 401 /);
  socket.write(body.slice(3) + request("bad") + request("good"));
  assert.match(await until(socket, heard, /"name":"a"/), / 401 [\s\S]* 401 [\s\S]* 200 /);
});

for (const [protocol, headers, check] of [
  ["REST", { ":path": GROUPS }, { ":status": 401 }],
  [
    "gRPC",
    { ":path": CREATE, "content-type": "application/grpc" },
    { ":status": 200, "grpc-status": "16" },
  ],
  ["gRPC-Web", { ":path": CREATE, "content-type": "application/grpc-web" }, { ":status": 200 }],
] as const) {
  test(
    `${protocol} over HTTP/2 rejects a caller before its body and resets the stream`,
    WAITS,
    async (t) => {
      const port = await guarded(t);
      const session = connectHttp2(port.url);
      t.after(() => session.destroy());
      const request = { ":method": "POST", authorization: "Bearer bad", ...headers };
      const stream = session.request(request, { endStream: false });
      stream.on("error", () => {});
      stream.resume();
      const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
      for (const [name, value] of Object.entries(check)) assert.equal(answer[name], value);
      // Flow control stops a client that goes on sending: far less than this is ever taken.
      let accepted = 0;
      const chunk = Buffer.alloc(64 * 1024);
      const push = () => {
        if (stream.destroyed || accepted > 8 * 1024 * 1024) return;
        stream.write(chunk, () => {
          accepted += chunk.length;
          push();
        });
      };
      push();
      if (!stream.closed) await once(stream, "close");
      assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
      assert.ok(accepted < 1024 * 1024, `${accepted} bytes were taken`);
      assert.equal(port.methods.calls.length, 0);
    },
  );
}

test("public methods accept small bodies only, in every protocol", WAITS, async (t) => {
  const port = await guarded(t, { publicMessageBytes: 100 });
  const frame = (size: number) =>
    Buffer.from([0, 0, 0, 0, size, 10, size - 2, ...Array(size - 2).fill(97)]);
  const post = (path: string, type: string, body: string | Buffer) =>
    fetch(port.url + path, { method: "POST", headers: { "content-type": type }, body });
  const form = "application/x-www-form-urlencoded";
  for (const [size, status] of [
    [100, 200],
    [101, 413],
  ] as const) {
    const answer = await post("/sts/exchange", form, `aud=${"x".repeat(size - 4)}`);
    assert.equal(answer.status, status);
    const web = await post(EXCHANGE, "application/grpc-web", frame(size));
    const code = /grpc-status: (\d+)/.exec(await web.text())?.[1];
    assert.equal(code, status === 200 ? "0" : "8", `gRPC-Web, ${size} bytes`);
  }
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  for (const path of [EXCHANGE, reflection]) {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
    });
    stream.on("error", () => {});
    let status: unknown;
    for (const event of ["response", "trailers"] as const) {
      stream.on(event, (fields) => {
        status ??= fields["grpc-status"];
      });
    }
    stream.resume();
    stream.end(frame(101));
    await once(stream, "close");
    assert.equal(status, "8", path);
  }
});

test("parameters, header fields and path segments are bounded in number", WAITS, async (t) => {
  const port = await guarded(t);
  const list = "&a=1".repeat(1_100).slice(1);
  const form = (body: string) =>
    fetch(`${port.url}/sts/exchange`, { method: "POST", body: new URLSearchParams(body) });
  assert.equal((await form(list)).status, 200);
  const tooMany = await form(`${list}&a=1`);
  assert.equal(tooMany.status, 400);
  assert.match(
    ((await tooMany.json()) as { message: string }).message,
    /more than 1100 parameters/,
  );
  assert.equal((await fetch(`${port.url}/sts/exchange?${list}`)).status, 200);
  assert.equal((await fetch(`${port.url}/sts/exchange?${list}&a=1`)).status, 400);
  assert.equal((await fetch(`${port.url}/openapi.json?${list}&a=1`)).status, 400);
  const fields = (count: number) => `X: y\r\n`.repeat(count);
  for (const [count, status] of [
    [126, 404],
    [127, 431],
  ] as const) {
    const { socket, heard } = dial(t, port);
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields(count)}\r\n`);
    await until(socket, heard, new RegExp(`^HTTP/1.1 ${status} `));
  }
  assert.equal((await fetch(`${port.url}${"/a".repeat(512)}`)).status, 404);
  assert.equal((await fetch(`${port.url}${"/a".repeat(513)}`)).status, 414);
  assert.equal((await fetch(`${port.url}/${"%2Fa".repeat(512)}`)).status, 414);
});
