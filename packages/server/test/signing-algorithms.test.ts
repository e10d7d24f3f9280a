import assert from "node:assert/strict";
import { createPublicKey, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInClouds } from "./support/providers/clouds.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { type KeyMaterial, keyMaterialOf } from "./support/server/key-material.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, onStore, type World } from "./support/world/world.ts";

const AZURE = "api://AzureADTokenExchange";
const VAULT = "https://vault.example";
const OTHER = "https://other.example";
const EXCHANGED = ["--audiences", `${VAULT},${OTHER}`];
const ENABLED = [...EXCHANGED, "--rs256-audiences", `${AZURE}, ${VAULT}/`];

const clouds = await StandInClouds.start();
after(() => clouds.stop());

onEachStore(
  "with audiences for RS256",
  (world) => {
    let caller: string;
    before(async () => {
      caller = (await world.member()).token;
    });

    const issued = async (...aud: string[]) => {
      const { status, token, message } = await exchange(world.server.url, caller, { aud });
      assert.equal(status, 200, message);
      return token;
    };
    const algorithmFor = async (...aud: string[]) =>
      decodeProtectedHeader(await issued(...aud)).alg;
    const groups = async (token: string) =>
      new Http(world.server.url, token).get("/iam/v2beta1/groups");

    test("the algorithm follows from the audiences", async () => {
      const { url } = world.server;
      assert.equal(await algorithmFor(VAULT), "RS256");
      assert.equal(await algorithmFor(OTHER), "ES256");
      assert.equal(await algorithmFor(url), "ES256");
      assert.equal(await algorithmFor(VAULT, url), "ES256", "one that is ours");
      assert.equal(await algorithmFor(VAULT, OTHER), "ES256", "one that is not listed");
    });

    test("the discovery document and the key set have both", async () => {
      const { issuer, algorithms, keys } = await published(world.server.url);
      assert.deepEqual(algorithms, ["ES256", "RS256"]);
      assert.deepEqual(keys.map(({ kty, alg, use }) => `${kty} ${alg} ${use}`).sort(), [
        "EC ES256 sig",
        "RSA RS256 sig",
      ]);
      const rsa = keys.find(({ kty }) => kty === "RSA") ?? {};
      assert.deepEqual(Object.keys(rsa).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
      const set = createRemoteJWKSet(new URL(`${world.server.url}/.well-known/jwks.json`));
      const checks = { issuer, audience: VAULT, algorithms: ["RS256"] };
      await jwtVerify(await issued(VAULT), set, checks);
    });

    test("a token for another audience is no token for the API", async () => {
      const { status, body } = await groups(await issued(VAULT));
      assert.deepEqual([status, body.message], [401, 'Unauthenticated: invalid "aud"']);
    });

    test("a key verifies only its own algorithm", async () => {
      const { url } = world.server;
      const keys = await keyMaterialOf(world.server);
      const [ec, rsa] = [keyOf(keys, "EC"), keyOf(keys, "RSA")];
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: url, aud: url, sub: OPERATOR_UID, jti: randomUUID(), iat };
      const payload: JWTPayload = { ...claims, exp: iat + 600 };
      const signed = (alg: string, kid: string, key: Parameters<SignJWT["sign"]>[0]) =>
        new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
      assert.equal((await groups(await signed("ES256", ec.kid, ec.jwk))).status, 200);
      assert.equal((await groups(await signed("RS256", rsa.kid, rsa.jwk))).status, 200);
      const pem = (jwk: JWK) =>
        createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
      const confused = {
        "ES256 with the id of the RSA key": await signed("ES256", rsa.kid, ec.jwk),
        "RS256 with the id of the EC key": await signed("RS256", ec.kid, rsa.jwk),
        "PS256 of the RSA key": await signed("PS256", rsa.kid, rsa.jwk),
        "RS512 of the RSA key": await signed("RS512", rsa.kid, rsa.jwk),
        "HS256 with the public RSA key": await signed("HS256", rsa.kid, Buffer.from(pem(rsa.jwk))),
        "HS256 with the public EC key": await signed("HS256", ec.kid, Buffer.from(pem(ec.jwk))),
      };
      for (const [what, token] of Object.entries(confused)) {
        const { status, body } = await groups(token);
        assert.deepEqual([status, body.code], [401, 16], `${what}: ${body.message}`);
      }
    });

    test("a federation that takes nothing but RS256 gives credentials", async () => {
      clouds.issuer = world.server.url;
      clouds.algorithms = ["RS256"];
      const group = await world.organization();
      const azure = { tenantId: "acme.example", clientIds: { builder: "one" } };
      await world.operator().accountAssociations.create(group, { name: "x", azure });
      clouds.trusted.set("acme.example one", `account-association:${group}`);
      const check = await world.operator().accountAssociations.checkAccountAssociation({
        uid: group,
        providerType: "ACCOUNT_PROVIDER_TYPE_AZURE",
      });
      assert.deepEqual([check.status, check.message], ["CHECK_STATUS_READY", ""]);
    });

    test("a rotation replaces both keys, whatever settings its command has", async () => {
      const before = await published(world.server.url);
      const old = await issued(VAULT);
      const kids = (await world.server.admin("keys", "rotate")).trim().split("\n");
      assert.equal(kids.length, 2);
      assert.equal(decodeProtectedHeader(await issued(world.server.url)).kid, kids[0]);
      assert.equal(decodeProtectedHeader(await issued(VAULT)).kid, kids[1]);
      const after = await published(world.server.url);
      assert.deepEqual(kidsOf(after), [...kidsOf(before), ...kids].sort());
      const set = createRemoteJWKSet(new URL(`${world.server.url}/.well-known/jwks.json`));
      await jwtVerify(old, set, { audience: VAULT });
    });

    test("rotate --now drops both at once", async () => {
      const old = await issued(VAULT);
      const kids = (await world.server.admin("keys", "rotate", "--now", "--yes")).trim();
      assert.deepEqual(kidsOf(await published(world.server.url)), kids.split("\n").sort());
      caller = await world.server.token();
      assert.notEqual(decodeProtectedHeader(await issued(VAULT)).kid, kidOf(old));
      const sql = "SELECT detail FROM audit WHERE method = 'keys rotate' ORDER BY id DESC LIMIT 1";
      const [row] = await rawRows<{ detail: string }>(world.server, sql);
      const { kid, rs256Kid } = JSON.parse(row?.detail ?? "{}");
      assert.deepEqual([kid, rs256Kid], kids.split("\n"));
    });

    test("the private keys are sealed", async () => {
      const sealed = await keyMaterialOf(world.server);
      const rows = await rawRows(world.server, "SELECT * FROM signing_keys");
      const { jwk } = keyOf(sealed, "RSA");
      for (const part of [jwk.d, jwk.p, jwk.q])
        assert.ok(!JSON.stringify(rows).includes(part as string));
    });

    test("a replica that signs with ES256 alone retires the RS256 key, and others replace it", async () => {
      const [rsa] = (await published(world.server.url)).keys.filter(({ kty }) => kty === "RSA");
      if (world.store === "sqlite") {
        await world.server.terminate();
        await world.server.restart(EXCHANGED);
        assert.deepEqual((await published(world.server.url)).algorithms, ["ES256"]);
        assert.equal(await algorithmFor(VAULT), "ES256");
        assert.ok(kidsOf(await published(world.server.url)).includes(rsa?.kid ?? ""), "overlap");
        await world.server.terminate();
        await world.server.restart(ENABLED);
      } else {
        const flags = ["--base-url", world.server.url, ...EXCHANGED];
        const replica = await TestServer.start({ sameStoreAs: world.server, flags });
        assert.deepEqual((await published(replica.url)).algorithms, ["ES256"]);
        await replica.stop();
      }
      await published(world.server.url);
      const kid = kidOf(await issued(VAULT));
      assert.notEqual(kid, rsa?.kid);
      assert.ok(kidsOf(await published(world.server.url)).includes(kid));
      assert.ok(kidsOf(await published(world.server.url)).includes(rsa?.kid ?? ""), "overlap");
    });
  },
  { flags: [...ENABLED, ...clouds.flags] },
);

onStore(
  "sqlite",
  "without audiences for RS256",
  (world: World) => {
    test("there is no RSA key", async () => {
      const { algorithms, keys } = await published(world.server.url);
      assert.deepEqual(algorithms, ["ES256"]);
      assert.deepEqual(
        keys.map(({ kty }) => kty),
        ["EC"],
      );
      assert.equal((await world.server.admin("keys", "rotate")).trim().split("\n").length, 1);
    });
  },
  { flags: EXCHANGED },
);

interface PublishedKey {
  readonly kid?: string;
  readonly kty?: string;
  readonly alg?: string;
  readonly use?: string;
}

async function published(url: string) {
  const json = async (path: string) => (await fetch(`${url}${path}`)).json();
  const discovery = (await json("/.well-known/openid-configuration")) as {
    issuer: string;
    id_token_signing_alg_values_supported: string[];
  };
  const { keys } = (await json("/.well-known/jwks.json")) as { keys: PublishedKey[] };
  const { issuer, id_token_signing_alg_values_supported: algorithms } = discovery;
  return { issuer, algorithms, keys };
}

function kidsOf({ keys }: { keys: readonly PublishedKey[] }): string[] {
  return keys.map(({ kid }) => kid ?? "").sort();
}

function kidOf(token: string): string {
  return decodeProtectedHeader(token).kid ?? "";
}

function keyOf({ signing }: KeyMaterial, kty: string) {
  const found = [...signing].find(([, jwk]) => jwk.kty === kty);
  assert.ok(found, `there is no ${kty} key`);
  return { kid: found[0], jwk: found[1] as JWK & { kty: string } };
}
