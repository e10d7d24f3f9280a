import assert from "node:assert/strict";
import { hash, X509Certificate } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { builtinRole, literalIdentityUid } from "@wharf/contract";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { answerOf } from "./support/world/registry-access.ts";
import { World } from "./support/world/world.ts";

const ANYONE = literalIdentityUid("wharf", "anyone");
const SCOPE = "repository:acme/app:pull";
const OTHER = "other.registry.test:5000";

for (const store of STORES) {
  describe(`tokens for a registry on ${store}`, () => {
    let world: World;
    let puller: string;
    before(async () => {
      world = await World.start({ store, flags: ["--registries", OTHER], registry: true });
      puller = await world.registry.holder("puller", "registry.pull");
    });
    after(() => world.stop());

    const text = async (path: string) => (await fetch(`${world.server.url}${path}`)).text();
    const certificates = async () =>
      (await text("/registry/certs.pem"))
        .split(/(?<=-----END CERTIFICATE-----\n)/)
        .map((pem) => new X509Certificate(pem));

    test("have the claims and the signature that a registry expects", async () => {
      const password = await world.registry.token(puller);
      const { status, body, claims, headers } = await world.registry.ask({
        user: "_token",
        password,
        scope: SCOPE,
      });
      assert.equal(status, 200);
      assert.equal(body.access_token, body.token);
      assert.equal(body.expires_in, 300);
      assert.ok(Math.abs(Date.parse(body.issued_at) - Date.now()) < 60_000);
      assert.equal(headers.get("cache-control"), "no-store");
      const { jti, iat, nbf, exp, ...rest } = claims;
      assert.ok(jti);
      assert.equal(nbf, (iat as number) - 60, "clocks of registries may be late");
      assert.equal((exp as number) - (iat as number), 300);
      assert.deepEqual(rest, {
        iss: world.server.url,
        aud: world.registry.host,
        sub: puller,
        access: [{ type: "repository", name: "acme/app", actions: ["pull"] }],
      });
      const { alg, kid, x5c } = decodeProtectedHeader(body.token);
      assert.equal(alg, "ES256");
      assert.match(kid as string, /^(?:[A-Z2-7]{4}:){11}[A-Z2-7]{4}$/);
      const keys = JSON.parse(await text("/registry/jwks.json"));
      await jwtVerify(body.token, createLocalJWKSet(keys), { audience: world.registry.host });
      const [certificate] = (await certificates()) as [X509Certificate];
      assert.equal(certificate.raw.toString("base64"), x5c?.[0]);
      await jwtVerify(body.token, certificate.publicKey);
    });

    test("the alternative path and a bearer header are accepted", async () => {
      const password = await world.registry.token(puller);
      const basic = { user: "_token", password, scope: SCOPE };
      assert.deepEqual((await world.registry.ask({ ...basic, path: "/registry/token" })).granted, [
        SCOPE,
      ]);
      const bearer = { authorization: `Bearer ${password}`, scope: SCOPE };
      assert.deepEqual((await world.registry.ask(bearer)).granted, [SCOPE]);
    });

    test("are for one attached registry, the first by default", async () => {
      const password = await world.registry.token(puller, OTHER);
      const other = await world.registry.ask({
        user: "_token",
        password,
        scope: SCOPE,
        service: OTHER,
      });
      assert.deepEqual([other.claims.aud, other.granted], [OTHER, [SCOPE]]);
      const first = await world.registry.ask({
        user: "_token",
        password: await world.registry.token(puller),
        service: "",
      });
      assert.equal(first.claims.aud, world.registry.host);
      const foreign = await world.registry.ask({ user: "_token", password, service: "evil.test" });
      assert.deepEqual([foreign.status, foreign.body.errors[0].code], [400, "UNSUPPORTED"]);
    });

    test("a token for another audience is denied, with a hint", async () => {
      for (const audience of [world.server.url, OTHER]) {
        const password = await world.registry.token(puller, audience);
        const { status, body } = await world.registry.ask({
          user: "_token",
          password,
          scope: SCOPE,
        });
        assert.equal(status, 403);
        assert.equal(body.errors[0].code, "DENIED");
        const help = `the token is for "${audience}": exchange it for one with the audience "${world.registry.host}"`;
        assert.ok(body.errors[0].message.includes(help), body.errors[0].message);
      }
    });

    test("a workload's token is the password of its identity, in every spelling of the uid", async () => {
      const password = await world.registry.issuer.sign({ sub: "puller" });
      for (const user of [puller, puller.replaceAll("/", "_")]) {
        const { status, claims, granted } = await world.registry.ask({
          user,
          password,
          scope: SCOPE,
        });
        assert.deepEqual([status, claims.sub, granted], [200, puller, [SCOPE]]);
      }
      const { body } = await world.http.get(`/iam/v2beta1/identities/${puller}`);
      assert.notEqual(body.lastSeenTime, body.createTime);
    });

    test("a pull token is an identity with its own key, until expiry or deletion", async () => {
      const claims = { iss: "https://pull.example", sub: "robot" };
      const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
      const issuerKeys = JSON.stringify(world.registry.issuer.jwks);
      const staticKeys = { issuer: claims.iss, subject: claims.sub, issuerKeys, expirationTime };
      const { uid } = await world.post(`identities/${world.registry.team}`, {
        name: "robot",
        staticKeys,
      });
      await world.bind(world.registry.team, uid, "registry.pull");
      const password = await world.registry.issuer.sign({
        ...claims,
        exp: Math.floor(Date.now() / 1000) + 80_000,
      });
      const ask = () =>
        world.registry.ask({ user: uid, password, scope: "repository:acme/team/a:*" });
      assert.deepEqual((await ask()).granted, ["repository:acme/team/a:pull"]);
      await world.http.delete(`/iam/v2beta1/identities/${uid}`);
      assert.equal((await ask()).status, 401);
    });

    test("the OAuth 2 form is accepted", async () => {
      const post = async (fields: Record<string, string>, headers = {}) =>
        answerOf(
          await fetch(`${world.server.url}/token`, {
            method: "POST",
            headers,
            body: new URLSearchParams({
              service: world.registry.host,
              scope: SCOPE,
              client_id: "x",
              ...fields,
            }),
          }),
        );
      const ours = await world.registry.token(puller);
      const theirs = await world.registry.issuer.sign({ sub: "puller" });
      const refresh = { grant_type: "refresh_token", refresh_token: ours };
      for (const fields of [
        { grant_type: "password", username: "_token", password: ours, access_type: "offline" },
        { grant_type: "password", username: puller, password: theirs },
        refresh,
      ]) {
        const { status, granted, body } = await post(fields);
        assert.deepEqual([status, granted, body.scope], [200, [SCOPE], SCOPE]);
      }
      const basic = { authorization: `Basic ${btoa(`_token:${ours}`)}` };
      assert.deepEqual((await post({}, basic)).granted, [SCOPE]);
      assert.equal((await post({ ...refresh, refresh_token: theirs })).status, 401);
      assert.equal((await post({ grant_type: "client_credentials" })).status, 400);
      assert.equal((await post({})).status, 400);
      assert.equal((await post({ grant_type: "password", username: "_token" })).status, 401);
    });

    test("end with the session of the caller", async () => {
      const {
        server,
        http: operator,
        registry: { organization, issuer },
      } = world;
      const provider = await world.post(`identityProviders/${organization}`, {
        name: "sso",
        defaultRole: builtinRole("registry.pull")?.uid,
        oidc: { issuer: issuer.url, clientId: "client", pkceEnabled: true },
      });
      const roleUid = builtinRole("registry.pull")?.uid;
      const invite = await world.post(`groupInvites/${organization}`, { roleUid, ttl: "600s" });
      const stranger = new Http(server.url, await issuer.sign({ sub: "ada" }));
      await stranger.post("/auth/v1/register", { code: invite.code });
      const { token, claims } = await exchange(
        server.url,
        await issuer.sign({ sub: "ada", aud: "client" }),
        { aud: world.registry.host, identity_provider: provider.uid },
      );
      const ask = () => world.registry.ask({ user: "_token", password: token, scope: SCOPE });
      assert.deepEqual((await ask()).granted, [SCOPE]);
      await operator.delete(`/auth/v1/sessions/${claims.sid}`);
      const { status, body } = await ask();
      assert.equal(status, 401);
      assert.match(body.errors[0].message, /session has expired or was revoked/);
    });

    test("are not accepted by the API", async () => {
      const question = { user: "_token", password: await world.registry.token(), scope: SCOPE };
      const { token } = (await world.registry.ask(question)).body;
      const listed = await new Http(world.server.url, token).get("/iam/v2beta1/groups");
      assert.equal(listed.status, 401);
      const exchanged = await exchange(world.server.url, token, { aud: world.server.url });
      assert.equal(exchanged.code, 16);
      assert.equal((await world.registry.ask({ ...question, password: token })).status, 401);
    });

    test("keys rotate, and the next one is published in advance", async () => {
      const question = {
        user: "_token",
        password: await world.registry.token(puller),
        scope: SCOPE,
      };
      const kid = async () =>
        decodeProtectedHeader((await world.registry.ask(question)).body.token).kid;
      const published = async () => {
        const { keys } = JSON.parse(await text("/registry/jwks.json")) as {
          keys: { kid: string }[];
        };
        return keys.map((key) => key.kid);
      };
      const before = await published();
      assert.deepEqual([before.length, await kid()], [2, before[0]]);
      await world.server.admin("keys", "rotate");
      const after = await published();
      assert.deepEqual([after.length, after[0], after[2]], [3, before[1], before[0]]);
      assert.equal(await kid(), before[1]);
      assert.equal((await certificates()).length, 3);
    });

    test("leave audit rows without the token", async () => {
      const password = await world.registry.token(puller);
      const scope = [SCOPE, "repository:acme/team/app:*", "repository:other/app:pull"];
      await world.registry.ask({ user: "_token", password, scope });
      const rows = await rawRows<Record<string, string>>(
        world.server,
        "SELECT * FROM audit WHERE method = 'registry token' ORDER BY id",
      );
      const row = rows.at(-1) as Record<string, string>;
      assert.deepEqual(
        [row.actor, row.resource, Number(row.code)],
        [puller, world.registry.organization, 0],
      );
      assert.equal(row.remote_address, "127.0.0.1");
      const { denied, ...rest } = JSON.parse(row.detail as string);
      assert.match(denied, /^push, delete of acme\/team\/app is denied.* pull of other\/app is/);
      assert.deepEqual(rest, {
        identity: puller,
        service: world.registry.host,
        asked: scope,
        granted: [SCOPE, "repository:acme/team/app:pull"],
        tokenSha256: hash("sha256", password.slice(0, password.lastIndexOf(".")), "hex"),
      });
      const refused = rows.find((one) => Number(one.code) === 7);
      const detail = JSON.parse(refused?.detail ?? "{}");
      assert.match(detail.refused, /the token is for/);
      assert.equal(detail.identity, puller);
      const count = async () =>
        (await rawRows(world.server, "SELECT id FROM audit WHERE method = 'registry token'"))
          .length;
      assert.equal(await count(), rows.length);
      await world.registry.ask({ scope });
      assert.equal(await count(), rows.length, "nobody was given nothing");
    });

    test("nobody can get or change another's token", async () => {
      await assert.rejects(
        world.server.admin("token", "--identity", ANYONE),
        /no token is issued for the anonymous identity/,
      );
      const {
        server,
        http: operator,
        registry: { issuer },
      } = world;
      const password = await issuer.sign({ sub: "anyone", iss: "wharf" });
      assert.equal((await world.registry.ask({ user: ANYONE, password })).status, 401);
      for (const identity of [ANYONE, ""]) {
        const { code } = await exchange(server.url, password, { aud: server.url, identity });
        assert.equal(code, 7);
      }
      const path = `/iam/v2beta1/identities/${ANYONE}`;
      const shown = (await operator.get(path)).body;
      assert.equal(shown.name, "anyone");
      const claimMatch = { issuer: issuer.url, subject: "mine" };
      for (const change of [
        () => operator.patch(path, { name: "me" }),
        () => operator.patch(path, { claimMatch }),
        () => operator.delete(path),
      ]) {
        const { status, body } = await change();
        assert.equal(status, 400);
        assert.equal(body.details[1].violations[0].type, "BUILT_IN_IDENTITY");
      }
      assert.deepEqual((await operator.get(path)).body, shown);
      const owner = new Http(
        server.url,
        await server.token(await world.registry.holder("boss", "owner")),
      );
      assert.equal((await owner.patch(path, { claimMatch })).status, 403);
    });
  });
}
