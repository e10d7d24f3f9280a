import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { base64url } from "jose";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { rawRows, signerOf } from "./support/server/direct-store.ts";
import { answerOf } from "./support/world/registry-access.ts";
import { World } from "./support/world/world.ts";

const SCOPE = "repository:acme/app:pull";

describe("the registry token endpoint rejects", () => {
  let world: World;
  let puller: string;
  let ours: string;
  let theirs: string;
  before(async () => {
    world = await World.start({ registry: true });
    puller = await world.registry.holder("puller", "registry.pull");
    ours = await world.registry.token(puller);
    theirs = await world.registry.issuer.sign({ sub: "puller" });
  });
  after(() => world.stop());

  const part = (value: object) => base64url.encode(JSON.stringify(value));
  const changed = (token: string) =>
    `${token.slice(0, -4)}${token.endsWith("AAAA") ? "BBBB" : "AAAA"}`;

  /** Rejected requests, each with the caller and its credentials. */
  const REFUSED: Record<string, () => Promise<[user: string, password: string]>> = {
    "an empty password": async () => ["_token", ""],
    "an empty user": async () => ["", ours],
    garbage: async () => ["_token", "garbage"],
    "something like a JWT": async () => ["_token", "a.b.c"],
    "a password longer than any token": async () => ["_token", `${ours}${"x".repeat(9_000)}`],
    "a changed signature": async () => ["_token", changed(ours)],
    "a token without a signature": async () => {
      const [, claims] = ours.split(".");
      return ["_token", `${part({ alg: "none", typ: "JWT" })}.${claims}.`];
    },
    "a user that is a name": async () => ["puller", theirs],
    "the token of a workload as one of ours": async () => ["_token", theirs],
    "a token of ours as an identity's": async () => [puller, ours],
    "the token of another workload": async () => [
      puller,
      await world.registry.issuer.sign({ sub: "another" }),
    ],
    "the token of another issuer": async () => {
      const other = await StandInIssuer.start();
      const token = await other.sign({ sub: "puller" });
      await other.stop();
      return [puller, token];
    },
    "a changed token of a workload": async () => [puller, changed(theirs)],
    "an expired token of a workload": async () => [
      puller,
      await world.registry.issuer.sign({ sub: "puller", exp: 1_000_000 }),
    ],
    "a token of a workload for someone else": async () => [
      puller,
      await world.registry.issuer.sign({ sub: "puller", aud: "https://elsewhere.example" }),
    ],
    "an identity that does not exist": async () => [
      `${world.registry.organization}/${"f".repeat(16)}`,
      theirs,
    ],
    "an uid with more after it": async () => [`${puller}/../${puller}`, theirs],
    "an expired token of ours": async () => {
      const signer = await signerOf(world.server);
      const other = {
        now: Date.now() - 7_200_000,
        baseUrl: world.registry.host,
        authUrl: world.server.url,
      };
      return ["_token", await signer.token(puller, other)];
    },
    "a token of ours of another installation": async () => {
      const signer = await signerOf(world.server);
      const other = { baseUrl: world.registry.host, authUrl: "https://other.example" };
      return ["_token", await signer.token(puller, other)];
    },
  };
  for (const [what, shown] of Object.entries(REFUSED)) {
    test(what, async () => {
      const [user, password] = await shown();
      const { status, body, headers } = await world.registry.ask({ user, password, scope: SCOPE });
      assert.equal(status, 401, JSON.stringify(body));
      assert.deepEqual(Object.keys(body), ["errors"]);
      assert.equal(body.errors[0].code, "UNAUTHORIZED");
      assert.notEqual(body.errors[0].message, "");
      assert.equal(headers.get("www-authenticate"), `Basic realm="${world.server.url}/token"`);
      if (password.length > 10) assert.ok(!JSON.stringify(body).includes(password.slice(-10)));
    });
  }

  for (const authorization of ["Digest x", "Basic", "Basic %%%", "Bearer", "Bearer garbage", "x"]) {
    test(`the header ${JSON.stringify(authorization)}`, async () => {
      const { status, body } = await world.registry.ask({ authorization, scope: SCOPE });
      assert.deepEqual([status, body.errors[0].code], [401, "UNAUTHORIZED"]);
    });
  }

  const INJECTED = [
    "repository:acme/../other/app:pull",
    "repository:acme/app/../../x:pull",
    "repository:ACME/app:pull",
    "repository:acme/app,repository:other/app:pull",
    "repository:acme/app:pull\u0000",
    "repository:acme/app' OR '1'='1:pull",
    'repository:acme/"app":pull',
    "repository:acme/%2e%2e/app:pull",
    `repository:acme/${"a".repeat(4_000)}:pull`,
    `repository:${"acme/".repeat(300)}app:pull`,
    "repository:*:*",
    "repository:acme/*:pull",
    "registry:catalog:*",
    "*:*:*",
  ];
  for (const scope of INJECTED) {
    test(`to grant ${JSON.stringify(scope.slice(0, 50))}`, async () => {
      const { status, granted } = await world.registry.ask({
        user: "_token",
        password: ours,
        scope,
      });
      assert.deepEqual([status, granted], [200, []]);
    });
  }

  test("thousands of scopes, in a query and in a form", async () => {
    const scopes = (count: number) =>
      Array.from({ length: count }, (_, at) => `repository:a/b${at}:pull`).join(" ");
    const ask = async (count: number) =>
      (await world.registry.ask({ user: "_token", password: ours, scope: scopes(count) })).status;
    assert.deepEqual([await ask(50), await ask(51), await ask(300)], [403, 400, 414]);
    const send = async (size: number) => {
      const body = new URLSearchParams({ grant_type: "password", scope: scopes(size) });
      return answerOf(await fetch(`${world.server.url}/token`, { method: "POST", body }));
    };
    assert.equal((await send(2_000)).status, 400);
  });

  test("unbounded audit rows", async () => {
    const scope = Array.from(
      { length: 45 },
      (_, at) => `repository:acme/${"a".repeat(100)}${at}:*`,
    );
    await world.registry.ask({ user: "_token", password: ours, scope });
    const [row] = await rawRows<{ detail: string }>(
      world.server,
      "SELECT detail FROM audit ORDER BY id DESC LIMIT 1",
    );
    const { asked } = JSON.parse(row?.detail ?? "{}");
    assert.equal(asked?.length, 20);
  });

  test("cross-origin requests", async () => {
    const headers = { origin: "https://evil.example" };
    for (const method of ["GET", "OPTIONS"]) {
      const preflight = method === "GET" ? {} : { "access-control-request-method": "GET" };
      const response = await fetch(`${world.server.url}/token`, {
        method,
        headers: { ...headers, ...preflight },
      });
      assert.equal(response.headers.get("access-control-allow-origin"), null);
    }
  });

  test("to log any password", () => {
    for (const secret of [ours, theirs]) assert.ok(!world.server.log.includes(secret.slice(-20)));
  });
});
