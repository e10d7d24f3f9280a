/** Tests the host names that a server on a loopback address answers to. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { checkError, checkHealthy, parseAnswer, sendRaw } from "./support/client/raw.ts";
import { TestServer } from "./support/server/test-server.ts";

const SETTINGS = [
  ["--base-url", "https://wharf.example.com"],
  ["--auth-url", "https://auth.example.com:8443"],
  ["--registry-host", "registry.example.com:5000"],
  ["--registries", "mirror.example.com"],
].flat();

describe("a server on a loopback address", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ flags: SETTINGS });
  });
  after(() => server.stop());

  async function ask(path: string, ...hosts: string[]) {
    const lines = [`GET ${path} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`)];
    const heard = await sendRaw(server.url, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    const answer = parseAnswer(heard);
    assert.ok(answer, "there is an answer");
    return answer;
  }

  test("accepts loopback host names and configured ones", async () => {
    for (const host of [
      "localhost:8080",
      "127.0.0.1",
      "[::1]:1",
      "a.localhost",
      "wharf.example.com",
      "auth.example.com:8443",
      "registry.example.com",
      "mirror.example.com",
    ])
      assert.equal((await ask("/ping/v2beta1/ping", host)).status, 200, host);
  });

  test("rejects every other host name", async () => {
    const paths = [
      "/ping/v2beta1/ping",
      "/healthz",
      "/setup",
      "/account",
      "/metrics",
      "/.well-known/openid-configuration",
    ];
    for (const path of paths) {
      const { status, body } = await ask(path, "rebound.example.net");
      assert.equal(status, 421, path);
      checkError(status, JSON.parse(`${body}`), path);
    }
  });

  test("rejects two hosts, even if both are accepted", async () => {
    const { status, body } = await ask("/ping/v2beta1/ping", "localhost", "localhost");
    assert.equal(status, 400);
    checkError(status, JSON.parse(`${body}`), "two hosts");
    assert.equal((await ask("http://localhost/healthz", "wharf.example.com")).status, 400);
    await checkHealthy(server);
  });
});

test("behind trusted proxies, a server accepts any host name", async (t) => {
  const server = await TestServer.start({ flags: ["--trusted-proxies", "127.0.0.1"] });
  t.after(() => server.stop());
  const request = "GET /healthz HTTP/1.1\r\nHost: any.example\r\nConnection: close\r\n\r\n";
  assert.equal(parseAnswer(await sendRaw(server.url, request))?.status, 200);
});
