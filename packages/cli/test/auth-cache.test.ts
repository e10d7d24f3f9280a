import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { runs } from "../../server/test/support/oracle/runs.ts";
import { rawRows } from "../../server/test/support/server/direct-store.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

/** Someone who is not root, for whom files can be read-only. */
const NOBODY = 65_534;

describe("stored sessions", () => {
  let world: World;
  let home: Home;
  before(async () => {
    world = await World.start({ login: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    home = new Home({ WHARF_API: world.server.url });
    const { code, stderr } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
  });
  afterEach(() => home.remove());

  const refreshes = async () => {
    const rows = await rawRows<{ generation: number }>(
      world.server,
      "SELECT generation FROM sessions",
    );
    return rows.reduce((sum, { generation }) => sum + generation, 0);
  };
  const lockFile = () => home.loginFile.replace(/json$/, "lock");

  test("an expiring token is renewed, and the refresh token rotates", async () => {
    const before = home.login;
    home.expire();
    const token = await home.ok(["auth", "token"]);
    const { tokens, renewal } = home.login;
    assert.equal(token.trim(), tokens[world.server.url]?.token);
    assert.notEqual(token.trim(), before.tokens[world.server.url]?.token);
    assert.notDeepEqual(renewal, before.renewal);
    assert.equal(statSync(home.loginFile).mode & 0o777, 0o600);
  });

  test("concurrent commands renew once, and the session stays valid", async () => {
    home.expire();
    const before = await refreshes();
    const commands = Array.from({ length: runs(4, 10) }, () => {
      return home.startProcess(["auth", "token"]).ended;
    });
    const printed = await Promise.all(commands);
    for (const { code, stderr } of printed) assert.equal(code, 0, stderr);
    const tokens = new Set(printed.map(({ stdout }) => stdout));
    assert.equal(tokens.size, 1, "all print the same token");
    assert.equal(await refreshes(), before + 1);
    home.expire();
    assert.match(await home.ok(["iam", "organizations", "list"]), /acme\.example/);
  });

  test("a process that dies during renewal does not block others", async () => {
    home.expire();
    const script = `
      const { DatabaseSync } = require("node:sqlite");
      const lock = new DatabaseSync(process.argv[1]);
      lock.exec("BEGIN IMMEDIATE");
      console.log("held");
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["-e", script, lockFile()]);
    await once(holder.stdout, "data");
    const waiting = home.startProcess(["auth", "token"]);
    const first = await Promise.race([
      waiting.ended,
      new Promise((resolve) => setTimeout(resolve, 2_000, "waits")),
    ]);
    assert.equal(first, "waits");
    holder.kill("SIGKILL");
    const { code, stderr } = await waiting.ended;
    assert.equal(code, 0, stderr);
  });

  test("a session that ended elsewhere is reported and deleted", async () => {
    const token = home.login.tokens[world.server.url]?.token ?? "";
    const ended = await new Http(world.server.url, token).post("/auth/v1/logout");
    assert.equal(ended.status, 200);
    const { code, stderr } = await home.run(["iam", "organizations", "list"]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /your session at \S+ has expired or was revoked/);
    assert.match(stderr, /sign in with `wharf auth login`/);
    const again = await home.run(["auth", "token"]);
    assert.equal(again.code, 3);
    assert.match(again.stderr, /you are not signed in to http/);
    assert.equal(again.stdout, "");
  });

  test("invalid files are ignored, and the next sign-in replaces them", async () => {
    const { login } = home;
    for (const text of [
      "",
      '{"issuer":"http://127',
      "null",
      '{"issuer":1,"tokens":{}}',
      JSON.stringify({ ...login, renewal: { kind: "magic" } }),
      JSON.stringify({ ...login, tokens: { a: { token: 5 } } }),
    ]) {
      writeFileSync(home.loginFile, text);
      const { code, stderr } = await home.run(["auth", "token"]);
      assert.equal(code, 3, text);
      assert.match(stderr, /ignoring \S+: invalid content/);
      assert.match(stderr, /you are not signed in/);
    }
    assert.equal((await home.logIn(world, "ada")).code, 0);
    await home.ok(["auth", "token"]);
  });

  test("an unreachable server does not delete the login", async () => {
    home.expire();
    const { login } = home;
    await world.server.terminate();
    try {
      const { code, stderr } = await home.run(["auth", "token"]);
      assert.equal(code, 7, stderr);
      assert.match(stderr, /no response from/);
      const offline = JSON.parse(await home.ok(["auth", "status", "--quick", "-o", "json"]));
      assert.equal(offline.items[0].state, "good");
      const asked = await home.run(["auth", "status", "-o", "json"]);
      assert.match(JSON.parse(asked.stdout).items[0].state, /no response/);
    } finally {
      await world.server.restart();
    }
    assert.deepEqual(home.login, login);
    await home.ok(["auth", "token"]);
  });

  test("in a read-only home the token works until it expires, and the refresh token is not spent", async () => {
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    if (uid !== undefined) {
      for (const name of [".", ...readdirSync(home.folder, { recursive: true })]) {
        chownSync(join(home.folder, String(name)), uid, uid);
      }
    }
    const options = uid === undefined ? {} : { uid };
    const folder = dirname(home.loginFile);
    const allow = (mode: number) => {
      for (const path of [home.cache, dirname(folder), folder]) chmodSync(path, mode);
    };
    allow(0o500);
    try {
      assert.match(await home.ok(["iam", "organizations", "list"], options), /acme\.example/);
      home.expire();
      const { renewal } = home.login;
      const { code, stderr } = await home.run(["auth", "token"], options);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /logins cannot be stored in/);
      assert.match(stderr, /XDG_CACHE_HOME/);
      const login = await home.run(["auth", "login"], options);
      assert.equal(login.code, 1);
      assert.doesNotMatch(login.stderr, /opening your browser/);
      assert.deepEqual(home.login.renewal, renewal);
    } finally {
      allow(0o700);
    }
    await home.ok(["auth", "token"], options);
  });

  test("sessions of several users and servers are separate", async () => {
    const ada = home.loginFile;
    const { code } = await home.logIn(world, "bob");
    assert.equal(code, 0);
    const { items } = JSON.parse(await home.ok(["auth", "status", "-o", "json"]));
    assert.equal(items.length, 2);
    const [used, ...others] = items.filter((item: { current: boolean }) => item.current);
    assert.deepEqual(others, []);
    assert.equal(used.email, "bob@acme.example");
    const elsewhere = await home.run(["auth", "token", "--issuer", "http://127.0.0.1:9"]);
    assert.equal(elsewhere.code, 3);
    await home.ok(["auth", "logout"]);
    assert.equal((await home.run(["auth", "token"])).code, 3);
    assert.equal(JSON.parse(readFileSync(ada, "utf8")).email, "ada@acme.example");
  });

  test("WHARF_TOKEN takes precedence over a stored session", async () => {
    const env = { WHARF_TOKEN: await world.server.token() };
    assert.equal(await home.ok(["auth", "token"], { env }), `${env.WHARF_TOKEN}\n`);
    const { items } = JSON.parse(await home.ok(["auth", "status", "-o", "json"], { env }));
    const used = items.filter((item: { current: boolean }) => item.current);
    assert.equal(used.length, 1);
    assert.match(used[0].organisations[0], /everywhere/);
  });

  test("status shows logins, and exits with 3 without a login", async () => {
    const text = await home.ok(["auth", "status"]);
    assert.match(text, /ada@acme\.example +valid +20\S+, renews +acme\.example \(viewer\)/);
    const token = home.login.tokens[world.server.url]?.token ?? "";
    await new Http(world.server.url, token).post("/auth/v1/logout");
    const ended = await home.run(["auth", "status"]);
    assert.equal(ended.code, 3);
    assert.match(ended.stdout, /expired/);
    const nobody = await home.run(["auth", "status", "--quick", "-o", "json"]);
    assert.equal(nobody.code, 3);
    assert.deepEqual(JSON.parse(nobody.stdout), { items: [] });
  });
});
