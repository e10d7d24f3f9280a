import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole, literalIdentityUid } from "@wharf/contract";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { basic, OciClient, type PushedImage } from "./support/registry/oci-client.ts";
import { World } from "./support/world/world.ts";

const ANYONE = literalIdentityUid("wharf", "anyone");
const MANIFEST = "/v2/acme/app/manifests/1";
const UPLOADS = "/v2/acme/app/blobs/uploads/";

describe("access to the registry", () => {
  let world: World;
  let pusher: string;
  let puller: string;
  let push: OciClient;
  let anonymous: OciClient;
  let image: PushedImage;
  before(async () => {
    world = await World.start({ registry: true });
    pusher = await world.registry.holder("pusher", "registry.push");
    puller = await world.registry.holder("puller", "registry.pull");
    anonymous = new OciClient(world.server.url);
    push = anonymous.as(`Bearer ${await world.signer.token(pusher)}`);
    image = await push.image("acme/app", "1", "hello");
  });
  after(() => world.stop());

  const status = async (authorization: string | undefined, method = "GET", path = MANIFEST) =>
    (await anonymous.as(authorization).send(method, path)).status;
  const registryToken = async (password: string, scope: string) =>
    `Bearer ${(await world.registry.ask({ user: "_token", password, scope })).body.token}`;
  const challenge = (scope: string) =>
    `Bearer realm="${world.server.url}/token",service="registry.test",scope="${scope}"`;

  test("without credentials, the challenge says where to get a token, and for what", async () => {
    const base = await anonymous.get("/v2/");
    assert.deepEqual([base.status, base.code], [401, "UNAUTHORIZED"]);
    assert.equal(
      base.headers["www-authenticate"],
      `Bearer realm="${world.server.url}/token",service="registry.test"`,
    );
    for (const [method, path, scope] of [
      ["GET", MANIFEST, "repository:acme/app:pull"],
      ["HEAD", MANIFEST, "repository:acme/app:pull"],
      ["GET", "/v2/acme/app/tags/list", "repository:acme/app:pull"],
      ["PUT", MANIFEST, "repository:acme/app:pull,push"],
      ["POST", UPLOADS, "repository:acme/app:pull,push"],
      ["DELETE", MANIFEST, "repository:acme/app:delete"],
      ["GET", "/v2/none/app/manifests/1", "repository:none/app:pull"],
    ] as const) {
      for (const client of [anonymous, anonymous.as("Bearer not.a.token")]) {
        const { status, headers } = await client.send(method, path);
        assert.deepEqual([method, path, status], [method, path, 401]);
        assert.equal(headers["www-authenticate"], challenge(scope));
      }
    }
  });

  test("every kind of credentials is accepted", async () => {
    const api = await world.signer.token(puller);
    const registry = await world.registry.token(puller);
    const theirs = await world.registry.issuer.sign({ sub: "puller" });
    for (const authorization of [
      `Bearer ${api}`,
      `bearer ${api}`,
      `Bearer ${registry}`,
      basic("_token", api),
      basic("_token", registry),
      basic(puller, theirs),
      basic(puller.replaceAll("/", "_"), theirs),
      await registryToken(registry, "repository:acme/app:pull"),
    ]) {
      assert.equal(await status(authorization, "GET", "/v2/"), 200);
      assert.equal(await status(authorization), 200);
    }
  });

  test("a token of the API gets one of the registry, if the registry has the host of the API", async () => {
    const password = await world.signer.token(puller);
    const scope = "repository:acme/app:pull";
    assert.equal((await world.registry.ask({ user: "_token", password, scope })).status, 403);
    const alone = await World.start();
    const token = await alone.server.token();
    const service = new URL(alone.server.url).host;
    const given = await fetch(`${alone.server.url}/token?service=${service}`, {
      headers: { authorization: basic("_token", token) },
    });
    await alone.stop();
    assert.equal(given.status, 200);
  });

  test("other credentials are refused, and so are cookies", async () => {
    const theirs = await world.registry.issuer.sign({ sub: "somebody else" });
    for (const authorization of [
      "Bearer x",
      "Basic !",
      "Digest x",
      basic("_token", "x"),
      basic("puller", theirs),
      basic(puller, theirs),
      basic("_token", theirs),
      basic("_token", ""),
    ]) {
      assert.equal(await status(authorization), 401, authorization);
    }
    const token = await world.signer.token(pusher);
    const cookies = ["wharf_session", "__Host-wharf", "session"].map((name) => `${name}=${token}`);
    const { status: found } = await anonymous.get(MANIFEST, { cookie: cookies.join("; ") });
    assert.equal(found, 401);
  });

  test("a denial names capability, path and role", async () => {
    const client = anonymous.as(`Bearer ${await world.signer.token(puller)}`);
    const denied = await client.send("POST", UPLOADS);
    assert.deepEqual([denied.status, denied.code], [403, "DENIED"]);
    assert.equal(
      denied.body.errors[0].message,
      "push of acme/app is denied: needs manifest.create, manifest.update, tag.create, tag.update at acme/app; an owner of acme can grant the role registry.push",
    );
    const removal = await client.send("DELETE", MANIFEST);
    assert.match(removal.body.errors[0].message, /needs manifest.delete, tag.delete at acme\/app/);
    assert.deepEqual((await push.get(MANIFEST)).bytes, image.bytes);
  });

  test("a token for one thing is not good for another, and says so to clients", async () => {
    const token = await world.registry.token(pusher);
    const pull = anonymous.as(await registryToken(token, "repository:acme/app:pull"));
    assert.equal((await pull.get(MANIFEST)).status, 200);
    for (const [method, path, scope] of [
      ["POST", UPLOADS, "repository:acme/app:pull,push"],
      ["GET", "/v2/acme/other/tags/list", "repository:acme/other:pull"],
      ["DELETE", MANIFEST, "repository:acme/app:delete"],
    ] as const) {
      const { status: found, headers } = await pull.send(method, path);
      assert.equal(found, 401);
      assert.equal(headers["www-authenticate"], `${challenge(scope)},error="insufficient_scope"`);
    }
  });

  test("a removed role binding counts for the next request, for all kinds of tokens", async () => {
    const uid = await world.registry.identity("leaver");
    const binding = await world.bind(world.registry.organization, uid, "registry.push");
    const api = await world.signer.token(uid);
    const all = [
      `Bearer ${api}`,
      basic("_token", api),
      basic(uid, await world.registry.issuer.sign({ sub: "leaver" })),
      await registryToken(await world.registry.token(uid), "repository:acme/app:pull,push"),
    ];
    const location = await anonymous.as(all[0]).begin("acme/app");
    for (const one of all) assert.equal(await status(one), 200);
    await world.operator().roleBindings.delete(binding);
    for (const one of all) {
      assert.equal(await status(one), 403);
      assert.equal(await status(one, "POST", UPLOADS), 403);
      assert.equal(await status(one, "PATCH", location), 403);
    }
    await world.operator().identities.delete(uid);
    for (const one of all) assert.equal(await status(one), 401);
  });

  test("the end of a session counts for the next request", async () => {
    const { organization, issuer } = world.registry;
    const roleUid = builtinRole("registry.pull")?.uid;
    const oidc = { issuer: issuer.url, clientId: "client", pkceEnabled: true };
    const given = { name: "sso", defaultRole: roleUid, oidc };
    const provider = await world.post(`identityProviders/${organization}`, given);
    const invite = await world.post(`groupInvites/${organization}`, { roleUid, ttl: "600s" });
    const stranger = new Http(world.server.url, await issuer.sign({ sub: "ada" }));
    await stranger.post("/auth/v1/register", { code: invite.code });
    const signedIn = await issuer.sign({ sub: "ada", aud: "client" });
    const aud = { aud: world.registry.host, identity_provider: provider.uid };
    const { token, claims } = await exchange(world.server.url, signedIn, aud);
    const short = await registryToken(token, "repository:acme/app:pull");
    for (const one of [short, `Bearer ${token}`]) assert.equal(await status(one), 200);
    await world.http.delete(`/auth/v1/sessions/${claims.sid}`);
    for (const one of [short, `Bearer ${token}`]) assert.equal(await status(one), 401);
  });

  test("anyone pulls, and nothing else, where anyone may", async () => {
    await push.image("acme/team/public", "1", "public");
    const path = "/v2/acme/team/public";
    assert.equal(await status(undefined, "GET", `${path}/manifests/1`), 401);
    const binding = await world.bind(world.registry.team, ANYONE, "registry.push");
    const { body } = await world.registry.ask({ scope: "repository:acme/team/public:pull" });
    for (const one of [undefined, `Bearer ${body.token}`]) {
      assert.equal(await status(one, "GET", `${path}/manifests/1`), 200);
      assert.equal(await status(one, "GET", `${path}/tags/list`), 200);
      assert.equal(await status(one, "POST", `${path}/blobs/uploads/`), 401);
      assert.equal(await status(one, "DELETE", `${path}/manifests/1`), 401);
      assert.equal(await status(one), 401);
    }
    await world.operator().roleBindings.delete(binding);
    assert.equal(await status(undefined, "GET", `${path}/manifests/1`), 401);
  });
});
