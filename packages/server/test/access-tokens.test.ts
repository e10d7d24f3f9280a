import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { before, test } from "node:test";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from "jose";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

const HOUR_MS = 3_600_000;

onEachStore("tokens", (world) => {
  let member: Member;
  before(async () => {
    member = await world.member();
  });

  const rest = (authorization?: string) =>
    fetch(`${world.server.url}/iam/v2beta1/groups`, {
      headers: authorization === undefined ? {} : { authorization },
    });

  /** A token of ours but for some claims; undefined takes one out. */
  const tokenWith = (claims: JWTPayload, header: object = {}) => {
    const { kid, privateKey } = world.signer.keys.keyFor([]);
    const payload = { ...decodeJwt(world.operator().token), ...claims };
    return new SignJWT(JSON.parse(JSON.stringify(payload)))
      .setProtectedHeader({ alg: "ES256", kid, ...header })
      .sign(privateKey);
  };

  const metadata = () =>
    `resource_metadata="${world.server.baseUrl}/.well-known/oauth-protected-resource"`;

  test("a request without a token gets a precise error", async () => {
    const answer = await rest();
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("www-authenticate"), `Bearer ${metadata()}`);
    assert.equal(answer.headers.get("content-type"), "application/json");
    assert.equal(
      await answer.text(),
      `{"code":16,"message":"Unauthenticated: a bearer token is required",` +
        `"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
        `"reason":"UNAUTHENTICATED","domain":"iam.wharf.internal"}]}`,
    );
  });

  world.rule("every method but ping needs a token", async (api) => {
    const nobody = api.as("");
    const uid = member.uid;
    const refusals = await allRejected([
      nobody.groups.list(),
      nobody.groups.get(uid),
      nobody.groups.create("", { name: "x" }),
      nobody.groups.update(uid, { name: "x" }),
      nobody.groups.delete(uid),
      nobody.identities.list(),
      nobody.roles.list(),
      nobody.roles.get(uid),
      nobody.roleBindings.list(),
      nobody.roleBindings.delete(uid),
      nobody.identities.lookupIdentity({ issuer: "https://a.b", subject: "s" }),
      nobody.roleBindings.batchCreateRoleBindings({ parent: uid, requests: [] }),
    ]);
    for (const { code } of refusals) assert.equal(code, 16);
  });

  test("any scheme but Bearer is rejected with a challenge", async () => {
    for (const authorization of [
      "Basic b3BlcmF0b3I6b3BlcmF0b3I=",
      "Bearer",
      "Bearer nonsense",
      "Bearer a.b.c",
      `Bearer ${world.operator().token} ${world.operator().token}`,
      `Token ${world.operator().token}`,
      `Basic ${world.operator().token}`,
      `${world.operator().token}=`,
      "a.b.c",
      `Bearer ${"x".repeat(10_000)}`,
    ]) {
      const answer = await rest(authorization);
      assert.equal(answer.status, 401, authorization.slice(0, 40));
      const challenge = `Bearer error="invalid_token", ${metadata()}`;
      assert.equal(answer.headers.get("www-authenticate"), challenge);
      assert.equal(((await answer.json()) as { code: number }).code, 16);
    }
    const lower = await rest(`bearer ${world.operator().token}`);
    assert.equal(lower.status, 200, "the scheme's letters may be small");
  });

  test("a token without a scheme is taken over REST, gRPC and at the token service", async () => {
    const { token } = world.operator();
    assert.equal((await rest(token)).status, 200);
    const client = new Client(new URL(world.server.url).host, credentials.createInsecure());
    const list = (authorization: string) => {
      const metadata = new Metadata();
      metadata.set("authorization", authorization);
      const path = "/chainguard.platform.iam.v2beta1.GroupsService/ListGroups";
      const same = (bytes: Buffer) => bytes;
      return new Promise<number>((resolve) => {
        client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, (error) => {
          resolve(error?.code ?? 0);
        });
      });
    };
    assert.equal(await list(token), 0);
    assert.equal(await list(`Token ${token}`), 16);
    client.close();
    const exchanged = await fetch(
      `${world.server.url}/sts/exchange?${new URLSearchParams({ aud: world.server.url })}`,
      { headers: { authorization: (await world.member()).token } },
    );
    assert.equal(exchanged.status, 200, await exchanged.text());
  });

  world.rule("a token expires after an hour", async (api) => {
    const old = await world.signer.token(OPERATOR_UID, { now: Date.now() - HOUR_MS - 1_000 });
    const refusal = await rejected(api.as(old).groups.list());
    assert.deepEqual(
      [refusal.code, refusal.message],
      [16, "Unauthenticated: the token has expired"],
    );
    const last = await world.signer.token(OPERATOR_UID, { now: Date.now() - HOUR_MS + 60_000 });
    assert.ok(await api.as(last).groups.list());
  });

  world.rule("a token for another audience or of another issuer is rejected", async (api) => {
    const elsewhere = "https://elsewhere.example";
    for (const [claim, other] of [
      ["aud", { baseUrl: elsewhere }],
      ["iss", { authUrl: elsewhere }],
    ] as const) {
      const token = await world.signer.token(OPERATOR_UID, other);
      const refusal = await rejected(api.as(token).groups.list());
      assert.deepEqual(
        [refusal.code, refusal.message],
        [16, `Unauthenticated: invalid "${claim}"`],
      );
    }
  });

  world.rule("a token that lacks a claim, or is not yet valid, is rejected", async (api) => {
    for (const claims of [
      { sub: undefined },
      { exp: undefined },
      { iat: undefined },
      { jti: undefined },
      { aud: undefined },
      { nbf: Math.floor(Date.now() / 1000) + 600 },
    ]) {
      const token = await tokenWith(claims as JWTPayload);
      assert.equal((await rejected(api.as(token).groups.list())).code, 16, JSON.stringify(claims));
    }
    assert.ok(await api.as(await tokenWith({})).groups.list(), "the same with all of them is not");
  });

  world.rule("a token with a foreign signature is rejected", async (api) => {
    const { kid, publicKey } = world.signer.keys.keyFor([]);
    const payload = decodeJwt(world.operator().token);
    const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const secret = publicKey.export({ format: "der", type: "spki" });
    const unsigned = [{ alg: "none", kid }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const [head, body, signature = ""] = world.operator().token.split(".");
    const tokens = [
      await new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "x" }).sign(stranger),
      await new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid }).sign(stranger),
      await new SignJWT(payload).setProtectedHeader({ alg: "ES256" }).sign(stranger),
      await new SignJWT(payload).setProtectedHeader({ alg: "HS256", kid }).sign(secret),
      `${unsigned}.`,
      `${head}.${body}.`,
      `${head}.${body}.${signature.slice(0, -8)}AAAAAAAA`,
    ];
    for (const [at, token] of tokens.entries()) {
      const refusal = await rejected(api.as(token).groups.list());
      assert.equal(refusal.code, 16, `token ${at}`);
      assert.ok(!refusal.message.includes(token), "nothing of the token is repeated");
    }
  });

  world.rule("a token of a deleted or unknown identity is rejected", async (api) => {
    const { uid, token } = await world.member();
    assert.ok(await api.as(token).groups.list());
    await api.identities.delete(uid);
    const refusal = await rejected(api.as(token).groups.list());
    assert.equal(refusal.code, 16);
    for (const subject of ["0".repeat(40), "someone", ""]) {
      const other = await world.signer.token(subject);
      assert.equal((await rejected(api.as(other).groups.list())).code, 16, subject);
    }
  });

  test("gRPC trailers have the same error", async () => {
    const path = "/wharf.iam.v2beta1.GroupsService/ListGroups";
    const call = sendBytes(world.server.url, "nonsense", path, Buffer.alloc(0));
    await assert.rejects(call, { code: 16 });
  });

  test("the admin command prints tokens that expire after an hour", async () => {
    const operator = (await world.server.admin("token")).trim();
    const own = (await world.server.admin("token", "--identity", member.uid)).trim();
    assert.equal(decodeProtectedHeader(operator).alg, "ES256");
    const { sub, aud, iss, exp = 0, iat = 0 } = decodeJwt(own);
    assert.deepEqual([sub, aud, iss], [member.uid, world.server.url, world.server.url]);
    assert.equal(exp - iat, 3_600);
    assert.equal((await rest(`Bearer ${own}`)).status, 200);
    assert.equal((await rest(`Bearer ${operator}`)).status, 200);
    await assert.rejects(world.server.admin("token", "--identity", "0".repeat(40)), /no identity/);
  });
});
