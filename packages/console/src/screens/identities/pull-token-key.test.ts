import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { generatePullTokenKey } from "./pull-token-key.ts";
import { PULL_TOKEN_ISSUER } from "./trust.ts";

const json = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());

test("a pull token is a JWT that its public key verifies", async () => {
  const { jwks, subject, signToken } = await generatePullTokenKey();
  const [key] = JSON.parse(jwks).keys;
  assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  const expires = new Date("2027-01-01T00:00:00.999Z");
  const [header, claims, signature] = (await signToken("https://api.example", expires)).split(".");
  assert.deepEqual(json(header), { alg: "ES256", typ: "JWT", kid: key.kid });
  const { iat, ...others } = json(claims);
  assert.ok(Number.isInteger(iat) && iat <= Date.now() / 1000);
  assert.deepEqual(others, {
    iss: PULL_TOKEN_ISSUER,
    sub: subject,
    aud: "https://api.example",
    exp: Date.parse("2027-01-01T00:00:00Z") / 1000,
  });
  const publicKey = {
    key: createPublicKey({ key, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  } as const;
  const isValid = (signed: string) =>
    verify("sha256", Buffer.from(signed), publicKey, Buffer.from(signature ?? "", "base64url"));
  assert.ok(isValid(`${header}.${claims}`));
  assert.ok(!isValid(`${header}.${claims}x`));
  assert.doesNotMatch(`${header}.${claims}.${signature}`, /[+/=]/);
});

test("each pull token has a key and a subject of its own", async () => {
  const [one, other] = await Promise.all([generatePullTokenKey(), generatePullTokenKey()]);
  assert.notEqual(one.subject, other.subject);
  assert.notEqual(JSON.parse(one.jwks).keys[0].x, JSON.parse(other.jwks).keys[0].x);
});
