import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createWharf, type Token } from "@wharf/client";
import { tokens } from "@wharf/client/node";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { World } from "../../server/test/support/world/world.ts";

let world: World;
let folder: string;
let authUrl: string;
before(async () => {
  world = await World.start({ login: true });
  authUrl = world.server.url;
  folder = scratchFolder("wharf-client-");
});
after(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

const whoIs = async (token: string) =>
  (await createWharf({ baseUrl: world.server.url, token }).auth.validate()).email;

test("a session goes on, and every pair is kept before it is used", async () => {
  const { refresh_token: refreshToken } = await world.login.logIn("ada");
  const saved: string[] = [];
  const token = tokens.refresh({
    authUrl,
    refreshToken,
    async save(pair) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(pair.token.expires && pair.token.expires.getTime() > Date.now());
      saved.push(pair.refreshToken.token);
    },
  });
  const wharf = createWharf({ baseUrl: world.server.url, token });
  const calls = Array.from({ length: 10 }, () => wharf.auth.validate());
  for (const me of await Promise.all(calls)) assert.equal(me.email, "ada@acme.example");
  assert.equal(saved.length, 1);
  const ask = { audience: world.server.url };
  const forced = await token.get({ ...ask, force: true });
  assert.equal(saved.length, 2);
  assert.equal(new Set([refreshToken, ...saved]).size, 3, "each is used once");
  assert.equal(await whoIs(forced.token), "ada@acme.example");
});

test("several audiences at once take turns", async () => {
  const { refresh_token: refreshToken } = await world.login.logIn("ada");
  const token = tokens.refresh({ authUrl, refreshToken });
  const registry = new URL(world.server.url).host;
  const got = await Promise.all(
    [world.server.url, registry].map((audience) => token.get({ audience })),
  );
  assert.equal(new Set(got.map((one) => one.token)).size, 2);
  assert.equal(await whoIs((got[0] as Token).token), "ada@acme.example");
});

test("the present refresh token can be looked up", async () => {
  let kept = (await world.login.logIn("bob")).refresh_token;
  const token = tokens.refresh({
    authUrl,
    refreshToken: () => kept,
    save: (pair) => {
      kept = pair.refreshToken.token;
    },
  });
  for (const force of [false, true, true]) {
    const got = await token.get({ audience: world.server.url, force });
    assert.equal(await whoIs(got.token), "bob@acme.example");
  }
});

test("an expired session is reported after one attempt", async () => {
  const { access_token: token, refresh_token: refreshToken } = await world.login.logIn("bob");
  await createWharf({ baseUrl: world.server.url, token }).sessions.logout({});
  let sent = 0;
  const source = tokens.refresh({
    authUrl,
    refreshToken,
    fetch: (url, init) => {
      sent++;
      return fetch(url, init);
    },
  });
  const wharf = createWharf({ baseUrl: world.server.url, token: source });
  await assert.rejects(wharf.groups.list(), { message: "Unauthenticated: the session has ended" });
  assert.equal(sent, 1);
});

async function sessionFile(name: string): Promise<string> {
  const path = join(folder, name);
  const { refresh_token: refreshToken } = await world.login.logIn("ada");
  writeFileSync(path, JSON.stringify({ refreshToken }));
  return path;
}

test("processes share a session in a file: one renews, all use it", async () => {
  const path = await sessionFile("shared.json");
  const sources = Array.from({ length: 5 }, () => tokens.session({ path, authUrl }));
  const got = await Promise.all(sources.map((one) => one.get({ audience: world.server.url })));
  assert.equal(new Set(got.map(({ token }) => token)).size, 1);
  assert.equal(await whoIs((got[0] as Token).token), "ada@acme.example");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const forced = await sources[0]?.get({ audience: world.server.url, force: true });
  assert.notEqual(forced?.token, got[0]?.token);
  assert.equal(JSON.parse(readFileSync(path, "utf8")).token, forced?.token);
});

test("a token in the file that is meant for another is not used", async () => {
  const path = await sessionFile("audiences.json");
  const session = tokens.session({ path, authUrl });
  const registry = await session.get({ audience: new URL(world.server.url).host });
  const api = await session.get({ audience: world.server.url });
  assert.notEqual(api.token, registry.token);
  assert.equal(await whoIs(api.token), "ada@acme.example");
});

test("a stale lock file does not block", async () => {
  const path = await sessionFile("stale.json");
  writeFileSync(`${path}.lock`, "");
  const { token } = await tokens.session({ path, authUrl }).get({ audience: world.server.url });
  assert.equal(await whoIs(token), "ada@acme.example");
});

test("a file that is none says so", async () => {
  const path = join(folder, "none.json");
  await assert.rejects(tokens.session({ path, authUrl }).get({}), /none.json cannot be read/);
  writeFileSync(path, "{}");
  await assert.rejects(tokens.session({ path, authUrl }).get({}), /has no refreshToken/);
});
