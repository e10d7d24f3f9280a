import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { Http } from "../../server/test/support/client/http.ts";
import { exchange } from "../../server/test/support/client/tokens.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { daysLeft } from "../src/auth/pull-token/run.ts";
import { Home } from "./support/auth-home.ts";

/** Not the host of the API. */
const REGISTRY = "registry.test:5000";

describe("auth pull-token", () => {
  let server: TestServer;
  let home: Home;
  let operator: Http;
  let acme: string;
  before(async () => {
    server = await TestServer.start({ flags: ["--registry-host", REGISTRY] });
    const token = await server.token();
    operator = new Http(server.url, token);
    acme = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    home = new Home({ WHARF_API: server.url, WHARF_TOKEN: token });
  });
  after(async () => {
    home.remove();
    await server.stop();
  });

  const create = async (name: string, ...args: string[]) =>
    JSON.parse(
      await home.ok([
        "auth",
        "pull-token",
        "create",
        name,
        "--parent",
        "acme",
        "-o",
        "json",
        ...args,
      ]),
    );
  const use = (uid: string, password: string) =>
    exchange(server.url, password, { aud: REGISTRY, identity: uid });

  test("creates a password that can only pull", async () => {
    const made = await create("build", "--ttl", "720h", "--description", "for the build");
    assert.equal(made.username, made.uid.replaceAll("/", "_"));
    const { exp = 0, iat = 0, aud } = decodeJwt(made.password);
    assert.ok(Math.abs(exp - iat - 720 * 3600) <= 1);
    assert.equal(aud, "127.0.0.1");
    assert.equal(decodeProtectedHeader(made.password).alg, "ES256");
    const { status, claims, token } = await use(made.uid, made.password);
    assert.equal(status, 200);
    assert.equal(claims.sub, made.uid);
    assert.equal(claims.aud, REGISTRY);
    assert.ok(token);
    const api = await exchange(server.url, made.password, { aud: server.url, identity: made.uid });
    const who = (await new Http(server.url, api.token).get("/auth/v1/ok")).body;
    assert.equal(who.capabilities[0].role.name, "registry.pull");
    assert.equal(who.capabilities[0].group.id, acme);
    const stored = (await operator.get(`/iam/v2beta1/identities/${made.uid}`)).body;
    assert.equal(JSON.parse(stored.staticKeys.issuerKeys).keys[0].d, undefined);
    assert.equal(Date.parse(stored.staticKeys.expirationTime), exp * 1000);
  });

  test("prints variables, or a summary for people", async () => {
    const env = await home.ok(["auth", "pull-token", "create", "e", "--parent", acme, "-o", "env"]);
    assert.match(
      env,
      /^export WHARF_REGISTRY=[\w.:-]+\nexport WHARF_REGISTRY_USERNAME=[0-9a-f_]+\nexport WHARF_REGISTRY_PASSWORD=[\w.-]+\n$/,
    );
    const { stdout, stderr } = await home.run([
      "auth",
      "pull-token",
      "create",
      "p",
      "--parent",
      acme,
    ]);
    assert.match(stdout, /^Username: +[0-9a-f_]+\nPassword: +eyJ/m);
    assert.match(stderr, /shown only once/);
    assert.match(stderr, /docker login [\w.:-]+ -u [0-9a-f_]+ --password-stdin/);
    assert.ok(!stderr.includes("eyJ"));
  });

  test("is for the registry that the server names, or the first of platform.registry", async () => {
    const args = ["auth", "pull-token", "create", "r", "--parent", acme];
    const registryOf = async () => {
      const { stdout, stderr } = await home.run([...args, "--jq", ".registry"]);
      const [, host] = /docker login (\S+) -u/.exec(stderr) ?? [];
      assert.equal(stdout.trim(), host);
      return host;
    };
    assert.equal(await registryOf(), REGISTRY);
    await home.ok(["config", "set", "platform.registry", "mirror.test,registry.test:5000"]);
    assert.equal(await registryOf(), "mirror.test");
    await home.ok(["config", "unset", "platform.registry"]);
  });

  test("is listed with days left, and revoked by name, uid or username", async () => {
    const one = await create("one", "--ttl", "36h");
    const two = await create("two");
    const three = await create("three");
    const other = await operator.post(`/iam/v2beta1/identities/${acme}`, {
      name: "no pull token",
      claimMatch: { issuer: "https://issuer.example", subject: "x" },
    });
    const list = await home.ok(["auth", "pull-token", "list", "--parent", "acme", "-o", "wide"]);
    assert.match(list, new RegExp(`one +${one.uid} +2`));
    assert.match(list, new RegExp(`two +${two.uid} +30`));
    assert.doesNotMatch(list, /no pull token/);
    assert.equal(await home.ok(["auth", "pull-token", "list", "--expired", "-o", "id"]), "");
    for (const [text, { uid, password }] of [
      ["one", one],
      [two.uid, two],
      [three.username, three],
    ]) {
      const asked = await home.run(["auth", "pull-token", "revoke", text]);
      assert.equal(asked.code, 2, "asks first");
      assert.equal((await use(uid, password)).status, 200);
      await home.ok(["auth", "pull-token", "revoke", text, "-y"]);
      assert.notEqual((await use(uid, password)).status, 200);
    }
    const wrong = await home.run(["auth", "pull-token", "revoke", other.body.uid, "-y"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /is not a pull token/);
    assert.equal((await home.run(["auth", "pull-token", "revoke", "nobody", "-y"])).code, 5);
    await create("twin");
    await create("twin");
    const twins = await home.run(["auth", "pull-token", "revoke", "twin", "-y"]);
    assert.equal(twins.code, 2);
    assert.match(twins.stderr, /2 pull tokens are named "twin"/);
  });

  test("rejects invalid options without leaving anything behind", async () => {
    const count = async () => (await home.ok(["auth", "pull-token", "list", "-o", "id"])).length;
    const before = await count();
    const tries = [
      [["--ttl", "8761h"], 2, /--ttl/],
      [["--ttl", "0s"], 2, /--ttl/],
      [["--role", "no.such"], 5, /no role is named/],
      [["--role", "0123456789012345678901234567890123456789"], 5, /not found/i],
    ] as const;
    for (const [args, code, expected] of tries) {
      const all = ["auth", "pull-token", "create", "x", "--parent", "acme", ...args];
      const refused = await home.run(all);
      assert.equal(refused.code, code, refused.stderr);
      assert.match(refused.stderr, expected);
      assert.equal(refused.stdout, "");
    }
    assert.equal(await count(), before);
  });
});

test("days left", () => {
  const day = 24 * 3_600_000;
  assert.equal(daysLeft(new Date(30 * day), 0), "30");
  assert.equal(daysLeft(new Date(1), 0), "1");
  assert.equal(daysLeft(new Date(0), 0), "expired");
});
