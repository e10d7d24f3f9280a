import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { HttpBrowser } from "../../server/test/support/browser/http-browser.ts";
import { Http } from "../../server/test/support/client/http.ts";
import { rawRows } from "../../server/test/support/server/direct-store.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

describe("auth login of users", () => {
  let world: World;
  let home: Home;
  before(async () => {
    world = await World.start({ login: true });
  });
  after(() => world.stop());
  beforeEach(() => {
    home = new Home({ WHARF_API: world.server.url });
  });
  afterEach(() => home.remove());

  const sessions = () => rawRows(world.server, "SELECT id FROM sessions");

  test("stores the login, reports it, and serves later commands", async () => {
    const { code, stdout, stderr, page } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "");
    assert.match(page.text, /You are signed in/);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.match(stderr, /signed in to http:\S+ as ada@acme\.example \([0-9a-f]{40}\)/);
    assert.match(
      stderr,
      /valid until 20\d\d-\S+; renews automatically; the session expires if unused until 20\d\d-/,
    );
    assert.match(stderr, /organizations: acme\.example \(viewer\)/);
    const { issuer, api, identity, email, renewal, tokens } = home.login;
    assert.deepEqual(
      [issuer, api, email],
      [world.server.url, world.server.url, "ada@acme.example"],
    );
    assert.equal(renewal.kind, "refresh");
    assert.deepEqual(Object.keys(tokens), [world.server.url]);
    for (const file of home.files()) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    for (const folder of [dirname(home.loginFile), dirname(dirname(home.loginFile))]) {
      assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
    }
    const token = await home.ok(["auth", "token"]);
    assert.equal(token, `${tokens[world.server.url]?.token}\n`);
    assert.equal(decodeJwt(token.trim()).sub, identity);
    assert.match(await home.ok(["iam", "organizations", "list"]), /acme\.example/);
  });

  test("a new sign-in ends the session that it replaces", async () => {
    const before = (await sessions()).length;
    await home.logIn(world, "ada");
    const first = await home.ok(["auth", "token"]);
    await home.logIn(world, "ada");
    assert.equal((await sessions()).length, before + 1);
    const answer = await new Http(world.server.url, first.trim()).get("/auth/v1/ok");
    assert.equal(answer.status, 401);
    await home.ok(["auth", "status"]);
  });

  test("one token for each audience, of one session", async () => {
    const before = (await sessions()).length;
    const host = new URL(world.server.url).host;
    const audiences = ["--audience", world.server.url, "--audience", host];
    const { code, stderr } = await home.logIn(world, "ada", audiences);
    assert.equal(code, 0, stderr);
    assert.equal((await sessions()).length, before + 1);
    const { tokens } = home.login;
    assert.deepEqual(Object.keys(tokens).sort(), [host, world.server.url].sort());
    for (const [audience, { token }] of Object.entries(tokens)) {
      assert.equal(decodeJwt(token).aud, audience);
    }
    const token = await home.ok(["auth", "token", "--audience", host]);
    assert.equal(token.trim(), tokens[host]?.token);
  });

  /** Environments in which the command reaches nobody. */
  const unattended: Readonly<Record<string, Record<string, string>>> = {
    "without a display": { BROWSER: "" },
    "in a CI job": { CI: "true" },
    "with a browser that is missing": { BROWSER: "/nowhere/browser" },
    "with a browser that fails": { BROWSER: "/bin/false" },
  };
  for (const [name, env] of Object.entries(unattended)) {
    test(`nobody is waited for without a terminal, ${name}`, async () => {
      const { code, stdout, stderr } = await home.run(["auth", "login"], { env });
      assert.equal(code, 3, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, /nobody can sign in with a browser here: .*\n {2}→ give --identity/);
    });
  }

  test("an unknown audience is rejected, and nothing is stored", async () => {
    const login = home.startProcess([
      "auth",
      "login",
      "--no-browser",
      "--audience",
      "https://other.example",
    ]);
    const [url] = await login.says(/http:\S+/);
    const page = await new HttpBrowser().open(url);
    assert.match(page.text, /is not an audience of this installation/);
    login.child.kill("SIGINT");
    const { code } = await login.ended;
    assert.equal(code, 130);
    assert.deepEqual(home.files(), []);
  });

  test("a provider's groups make a session that is not renewed", async () => {
    const mapping = await world.http.post(
      `/iam/v2beta1/externalGroupRoleMappings/${world.login.provider}`,
      { externalGroupId: "builders", roleUid: builtinRole("editor")?.uid },
    );
    assert.equal(mapping.status, 200, JSON.stringify(mapping.body));
    const { code, stderr } = await home.logIn(world, "ada");
    await world.http.post(
      `/iam/v2beta1/externalGroupRoleMappings/${world.login.provider}:batchDelete`,
      {
        parent: world.login.provider,
        names: [mapping.body.uid],
      },
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /then sign in again/);
    assert.equal(home.login.renewal.kind, "none");
    const host = new URL(world.server.url).host;
    const token = await home.ok(["auth", "token", "--audience", host]);
    assert.equal(decodeJwt(token.trim()).aud, host);
    home.expire();
    const ended = await home.run(["auth", "token"]);
    assert.equal(ended.code, 3);
    assert.match(ended.stderr, /your session at \S+ has expired or was revoked/);
  });

  test("unrelated callbacks do not end the sign-in", async () => {
    const login = home.start(["auth", "login", "--no-browser", "--org-name", "acme.example"]);
    const [url] = await login.says(/http:\S+/);
    const redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    const { state } = Object.fromEntries(new URL(url).searchParams);
    for (const query of ["", "?code=x", "?code=x&state=guess", `?code=x&state=${state}x`]) {
      const answer = await fetch(redirect + query);
      assert.equal(answer.status, 400, query);
    }
    assert.equal((await fetch(new URL("/", redirect))).status, 404);
    assert.equal((await fetch(redirect, { method: "POST" })).status, 404);
    await world.login.signIn(new HttpBrowser(), url, "bob");
    const { code, stderr } = await login.ended;
    assert.equal(code, 0, stderr);
    assert.equal(home.login.email, "bob@acme.example");
  });

  for (const { what, query, expected } of [
    {
      what: "of another server",
      query: { code: "x", iss: "https://evil.example" },
      expected: /the response came from another server/,
    },
    { what: "without a server", query: { code: "x" }, expected: /came from another server/ },
    {
      what: "with a code that nobody gave",
      query: { code: "x", iss: "OURS" },
      expected: /the code has expired, was already used, or belongs to another client/,
    },
    {
      what: "that is a refusal",
      query: { error: "access_denied", error_description: "not you", iss: "OURS" },
      expected: /sign-in rejected: not you/,
    },
  ]) {
    test(`a callback ${what} ends the sign-in`, async () => {
      const login = home.start(["auth", "login", "--no-browser"]);
      const [url] = await login.says(/http:\S+/);
      const { redirect_uri = "", state = "" } = Object.fromEntries(new URL(url).searchParams);
      const back = new URL(redirect_uri);
      for (const [name, value] of Object.entries({ state, ...query })) {
        back.searchParams.set(name, value === "OURS" ? world.server.url : (value as string));
      }
      const page = await (await fetch(back)).text();
      assert.match(page, /Sign-in failed/);
      const { code, stderr } = await login.ended;
      assert.equal(code, 3);
      assert.match(stderr, expected);
      assert.deepEqual(home.files(), []);
    });
  }

  test("an invite code is passed on, in no command line", async () => {
    const folder = await world.http.post(`/iam/v2beta1/groups/${world.login.organization}`, {
      name: "team red",
    });
    const made = await world.http.post(`/iam/v2beta1/groupInvites/${folder.body.uid}`, {
      roleUid: builtinRole("editor")?.uid,
      ttl: "3600s",
    });
    const code: string = made.body.code;
    const provider = ["--identity-provider", world.login.provider];
    const login = home.start(["auth", "login", "--invite-code", "-", ...provider], {
      input: `${code}\n`,
    });
    await login.says(/http:\S+/);
    const url = await home.browsed(login);
    assert.ok(!url.includes(code) && url.startsWith("http://127.0.0.1:"), url);
    const browser = new HttpBrowser();
    const page = await world.login.signIn(browser, url, "bob");
    assert.match(page.text, /You are invited to acme\.example \/ team red as editor/);
    assert.equal((await fetch(url, { redirect: "manual" })).status, 404, "it leads on once");
    await browser.submit(page, { decision: "accept" }, { action: "/oauth/accept" });
    const { code: ended, stderr } = await login.ended;
    assert.equal(ended, 0, stderr);
    assert.ok(!stderr.includes(code));
    assert.match(stderr, /1 folder/);
  });

  test("other servers and unreachable ones are reported before sign-in", async (t) => {
    const other = createServer((_request, response) => response.end("<h1>hello</h1>")).listen(0);
    t.after(() => other.close());
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const wrong = await home.run(["auth", "login", "--api", url]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /\S+ is not a Wharf server/);
    const gone = await home.run(["auth", "login", "--api", `http://127.0.0.1:${await freePort()}`]);
    assert.equal(gone.code, 7);
    assert.match(gone.stderr, /cannot be reached: .*ECONNREFUSED/);
    const named = await home.run([
      "auth",
      "login",
      "--api",
      world.server.url.replace("127.0.0.1", "localhost"),
    ]);
    assert.equal(named.code, 1);
    assert.match(
      named.stderr,
      new RegExp(`the issuer of the server at \\S+ is ${world.server.url}`),
    );
  });
});
