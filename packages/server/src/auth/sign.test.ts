import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { signJwt } from "./sign.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = { kid: "a key", privateKey, publicKey, retires: Number.POSITIVE_INFINITY };
const claims = { sub: "größe/√", exp: 4_000_000_000, act: { iss: "https://issuer.example" } };

test("jose verifies signed tokens", async () => {
  // Some signatures have leading zeros, which faulty encodings drop.
  for (let round = 0; round < 300; round++) {
    const token = signJwt(key, { ...claims, jti: String(round) });
    const { payload } = await jwtVerify(token, publicKey, { algorithms: ["ES256"] });
    assert.deepEqual(payload, { ...claims, jti: String(round) });
    assert.deepEqual(decodeProtectedHeader(token), { alg: "ES256", kid: "a key", typ: "JWT" });
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  }
});

test("a signature belongs to its token and its key", async () => {
  const [head, , signature] = signJwt(key, claims).split(".");
  const [, other] = signJwt(key, { ...claims, sub: "another" }).split(".");
  await assert.rejects(jwtVerify(`${head}.${other}.${signature}`, publicKey));
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await assert.rejects(jwtVerify(signJwt(key, claims), stranger.publicKey));
});
