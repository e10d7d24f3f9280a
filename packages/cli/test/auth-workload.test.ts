import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { Http } from "../../server/test/support/client/http.ts";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { pauseBefore } from "../src/auth/login/workload.ts";
import { Home } from "./support/auth-home.ts";

describe("auth login of workloads", () => {
  let server: TestServer;
  let issuer: StandInIssuer;
  let operator: Http;
  let identity: string;
  let home: Home;
  before(async () => {
    server = await TestServer.start({ flags: ["--audiences", "https://third.test"] });
    issuer = await StandInIssuer.start();
    operator = new Http(server.url, await server.token());
    const { uid: parent } = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body;
    const made = await operator.post(`/iam/v2beta1/identities/${parent}`, {
      name: "builder",
      claimMatch: { issuer: issuer.url, subject: "job" },
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    identity = made.body.uid;
    const roleUid = builtinRole("viewer")?.uid;
    const bound = await operator.post(`/iam/v2beta1/roleBindings/${parent}`, {
      identityUid: identity,
      roleUid,
    });
    assert.equal(bound.status, 200, JSON.stringify(bound.body));
  });
  after(async () => {
    await issuer.stop();
    await server.stop();
  });
  beforeEach(() => {
    home = new Home({ WHARF_API: server.url });
  });
  afterEach(() => home.remove());

  const job = () => issuer.sign({ sub: "job" });
  const login = (...args: string[]) => ["auth", "login", "--identity", identity, ...args];

  /** The part of GitHub Actions that gives tokens to jobs. */
  async function startGithub(t: { after(work: () => void): void }) {
    const asked: IncomingMessage[] = [];
    const github = createServer(async (request, response) => {
      asked.push(request);
      const aud = new URL(request.url ?? "", "http://x").searchParams.get("audience") ?? "";
      const isJob = request.headers.authorization === "bearer job-secret";
      response.statusCode = isJob ? 200 : 401;
      response.end(JSON.stringify(isJob ? { value: await issuer.sign({ sub: "job", aud }) } : {}));
    }).listen(0, "127.0.0.1");
    await once(github, "listening");
    t.after(() => {
      github.closeAllConnections();
      github.close();
    });
    const { port } = github.address() as AddressInfo;
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "job-secret",
    };
    return { env, asked };
  }

  test("with a token in a file, which is read again when needed", async () => {
    const file = home.write("token", `${await job()}\n`);
    const { code, stdout, stderr } = await home.run(login("--identity-token", file));
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, new RegExp(`signed in to ${server.url} as ${identity}`));
    assert.match(stderr, /organizations: acme \(viewer\)/);
    assert.deepEqual(home.login.renewal, { kind: "exchange", from: { kind: "file", path: file } });
    assert.match(await home.ok(["iam", "organizations", "list"]), /acme/);
    home.expire();
    home.write("token", await issuer.sign({ sub: "another job" }));
    const refused = await home.run(["auth", "token"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /invalid "sub"/);
    home.write("token", await job());
    const token = await home.ok(["auth", "token"]);
    assert.equal(decodeJwt(token.trim()).sub, identity);
  });

  test("with a token from standard input, the environment or the command line, once", async () => {
    const token = await job();
    for (const [args, options] of [
      [["--identity-token", "-"], { input: `${token}\n` }],
      [[], { env: { WHARF_IDENTITY_TOKEN: token } }],
      [["--identity-token", token], {}],
    ] as const) {
      const { code, stderr } = await home.run(login(...args), options);
      assert.equal(code, 0, stderr);
      assert.ok(!stderr.includes(token));
      assert.equal(home.login.renewal.kind, "none");
      assert.ok(!JSON.stringify(home.login).includes(token), "what was exchanged is not kept");
    }
    const host = new URL(server.url).host;
    const other = await home.ok(["auth", "token", "--audience", host]);
    assert.equal(decodeJwt(other.trim()).aud, host);
    home.expire();
    assert.equal((await home.run(["auth", "token"])).code, 3);

    const several = ["--identity-token", token, "--audience", `${host},${server.url}`];
    const { code, stderr } = await home.run(login(...several));
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(home.login.tokens).sort(), [host, server.url].sort());
    const third = await home.ok(["auth", "token", "--audience", "https://third.test"]);
    assert.equal(decodeJwt(third.trim()).aud, "https://third.test");
  });

  test("in a job of GitHub Actions, without options", async (t) => {
    const { env, asked } = await startGithub(t);
    const { code, stderr } = await home.run(login(), { env });
    assert.equal(code, 0, stderr);
    assert.match(asked[0]?.url ?? "", /audience=127\.0\.0\.1/);
    assert.match(await home.ok(["iam", "organizations", "list"], { env }), /acme/);
    assert.equal(asked.length, 1);
    home.expire();
    await home.ok(["auth", "token"], { env });
    assert.equal(asked.length, 2);
    const elsewhere = await home.run(login());
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /no workload token found/);
  });

  test("WHARF_IDENTITY suffices on a platform, also without a writable cache", async (t) => {
    const { env: github, asked } = await startGithub(t);
    const env = { ...github, WHARF_IDENTITY: identity };
    assert.match(await home.ok(["iam", "organizations", "list"], { env }), /acme/);
    assert.match(await home.ok(["iam", "organizations", "list"], { env }), /acme/);
    assert.equal(asked.length, 1, "kept for the next command");
    const blocked = home.write("blocked", "a file, not a folder");
    const { code, stdout, stderr } = await home.run(["iam", "organizations", "list"], {
      env: { ...env, XDG_CACHE_HOME: blocked },
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /acme/);
    assert.match(stderr, /warning: logins cannot be stored in .*; every command requests/);
  });

  test("by name, for callers who are signed in already", async () => {
    const env = { WHARF_TOKEN: await server.token() };
    const file = home.write("token", await job());
    const args = ["auth", "login", "--identity", "builder", "--identity-token", file];
    const { code, stderr } = await home.run(args, { env });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /WHARF_TOKEN is set and takes precedence over this login/);
    assert.equal(home.login.identity, identity);
    const unknown = await home.run(["auth", "login", "--identity", "nobody"], { env });
    assert.equal(unknown.code, 5);
    assert.equal(
      (
        await home.run(["auth", "login", "--identity", "builder"], {
          env: { XDG_CACHE_HOME: home.folder },
        })
      ).code,
      3,
    );
  });

  for (const [what, token, expected] of [
    ["of another subject", () => issuer.sign({ sub: "other" }), /invalid "sub"/],
    ["for another audience", () => issuer.sign({ sub: "job", aud: "x" }), /invalid "aud"/],
    ["that has ended", () => issuer.sign({ sub: "job", exp: 1 }), /expired/],
    ["that is none", async () => "hello", /Permission denied|malformed|invalid/],
  ] as const) {
    test(`a token ${what} is rejected, and nothing is stored`, async () => {
      const { code, stderr } = await home.run(login("--identity-token", "-"), {
        input: await token(),
      });
      assert.notEqual(code, 0);
      assert.match(stderr, expected);
      assert.ok(stderr.includes(`wharf iam identities test ${identity} --token FILE`), stderr);
      assert.equal((await home.run(["auth", "token"])).code, 3);
    });
  }

  test("a missing file is reported and not used as a token", async () => {
    const { code, stderr } = await home.run(login("--identity-token", "/nowhere/token"));
    assert.equal(code, 2);
    assert.match(stderr, /the file does not exist/);
  });

  test("--refresh runs until interrupted", async () => {
    const file = home.write("token", await job());
    const running = home.startProcess(login("--identity-token", file, "--refresh"));
    await running.says(/keeping the token fresh/);
    running.child.kill("SIGINT");
    assert.equal((await running.ended).code, 130);
    await home.ok(["auth", "token"]);
  });

  test("a restricted token has a boundary and is not stored", async () => {
    const file = home.write("token", await job());
    await home.ok(login("--identity-token", file));
    const args = ["auth", "token", "--scope", "acme", "--capabilities", "groups.list"];
    const narrow = (await home.ok(args)).trim();
    const rest = new Http(server.url, narrow);
    assert.equal((await rest.get("/iam/v2beta1/groups")).status, 200);
    assert.equal((await rest.get("/iam/v2beta1/roles?uidp.descendants_of=x")).status, 400);
    const who = (await rest.get("/auth/v1/ok")).body;
    assert.deepEqual(who.capabilities[0].capabilities, ["groups.list"]);
    assert.ok(!JSON.stringify(home.login).includes(narrow));
    const wrong = await home.run(["auth", "token", "--capabilities", "groups.fly"]);
    assert.equal(wrong.code, 2);
    assert.equal(wrong.stdout, "");
  });
});

test("the next token is requested well before the last one expires", () => {
  const hour = 3_600_000;
  assert.equal(pauseBefore(hour, 0), 0.8 * hour);
  assert.equal(pauseBefore(120_000, 0), 30_000);
  assert.equal(pauseBefore(0, hour), 5_000);
});
