import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { type AddressRange, readRange } from "../../lib/net/address-range.ts";
import { open, type TestPort } from "../testing/open.ts";
import { LoopbackHosts } from "./host.ts";

const WAITS = { timeout: 120_000 };
const GROUP = { GetGroup: () => create(GroupSchema, { name: "a" }) };
const OWN = ["wharf.example.com", "registry.example.com:5000"];
const PATH = "/iam/v2beta1/groups/a";

/** The status, and the text of the error, that a request is answered with. */
async function ask(port: TestPort, target: string, ...fields: string[]) {
  const socket = connect(port.address.port, "127.0.0.1");
  const lines = [`GET ${target} HTTP/1.1`, ...fields, "Connection: close"];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const heard = Buffer.concat(await socket.toArray()).toString();
  const body = JSON.parse(heard.slice(heard.indexOf("\r\n\r\n") + 4));
  return { status: Number(heard.slice(9, 12)), message: body.message as string };
}

test("a request names one host", WAITS, async (t) => {
  const port = await open(t, GROUP);
  const status = async (target: string, ...fields: string[]) =>
    (await ask(port, target, ...fields)).status;
  assert.equal(await status(PATH, "Host: anything.example"), 200);
  assert.equal(await status(`http://a.example${PATH}`, "Host: A.example"), 200);
  assert.equal(await status(PATH), 400);
  assert.equal(await status(PATH, "Host: a.example", "Host: b.example"), 400);
  assert.equal(await status(PATH, "Host: a.example", "hOST: a.example"), 400);
  assert.equal(await status(`http://a.example${PATH}`, "Host: b.example"), 400);
  assert.equal(await status(`http://a.example:80${PATH}`, "Host: a.example:81"), 400);
  const { message } = await ask(port, PATH, "Host: a.example", "Host: b.example");
  assert.equal(message, "Invalid argument: the request has more than one Host header");
});

/** Sends a request over HTTP/2; returns the HTTP status and that of gRPC. */
async function askHttp2(t: TestContext, port: TestPort, headers: Record<string, string>) {
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  const stream = session.request({ ":path": PATH, ...headers });
  stream.on("error", () => {});
  stream.resume();
  const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
  return [answer[":status"], answer["grpc-status"]];
}

const GRPC = {
  ":method": "POST",
  ":path": "/wharf.iam.v2beta1.GroupsService/GetGroup",
  "content-type": "application/grpc",
};

test("so does a request over HTTP/2", WAITS, async (t) => {
  const port = await open(t, GROUP);
  const same = { ":authority": "a.example", host: "a.example" };
  const different = { ":authority": "a.example", host: "b.example" };
  assert.deepEqual(await askHttp2(t, port, same), [200, undefined]);
  assert.deepEqual(await askHttp2(t, port, different), [400, undefined]);
  assert.deepEqual(await askHttp2(t, port, { ...GRPC, ...different }), [200, "3"]);
});

test("on a loopback address, requests for other hosts are misdirected", WAITS, async (t) => {
  const port = await open(t, GROUP, { hosts: OWN });
  const status = async (host: string) => (await ask(port, PATH, `Host: ${host}`)).status;
  for (const host of [
    "localhost",
    "LOCALHOST:8080",
    "localhost.",
    "wharf.localhost:1",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:80",
    "wharf.example.com",
    "Wharf.Example.com:443",
    "registry.example.com",
  ])
    assert.equal(await status(host), 200, host);
  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "notlocalhost",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "sub.wharf.example.com",
    "",
    "localhost@evil.example",
  ])
    assert.equal(await status(host), 421, host);
  assert.equal((await ask(port, `http://evil.example${PATH}`, "Host: evil.example")).status, 421);
  const { message } = await ask(port, PATH, "Host: evil.example:8080");
  assert.match(message, /host "evil.example:8080" is not allowed, .* set --base-url$/);
  const evil = { ":authority": "evil.example" };
  assert.deepEqual(await askHttp2(t, port, evil), [421, undefined]);
  assert.deepEqual(await askHttp2(t, port, { ...GRPC, ...evil }), [200, "3"]);
});

test(
  "behind a trusted proxy, or elsewhere than on a loopback address, any host will do",
  WAITS,
  async (t) => {
    const trustedProxies = [readRange("127.0.0.1") as AddressRange];
    const proxied = await open(t, GROUP, { hosts: [], trustedProxies });
    assert.equal((await ask(proxied, PATH, "Host: evil.example")).status, 200);
    const everywhere = await open(t, GROUP, { hosts: [], listen: { host: "0.0.0.0", port: 0 } });
    assert.equal((await ask(everywhere, PATH, "Host: any.example")).status, 200);
  },
);

test("an accepted host does not make others accepted", () => {
  const hosts = new LoopbackHosts([]);
  for (let n = 0; n < 300; n++) assert.ok(hosts.accepts(`localhost:${n}`));
  assert.ok(!hosts.accepts("evil.example:1"));
});
