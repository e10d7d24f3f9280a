import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf } from "./act.ts";

function headerOf(claims: object): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `Bearer header.${payload}.signature`;
}

test("has the exchanged claims as texts, each time", () => {
  const act = { iss: "https://issuer.example", sub: "job", aud: ["a", "b"] };
  const header = headerOf({ sub: "caller", email: "job@example.com", act });
  const expected = {
    aud: "a,b",
    iss: "https://issuer.example",
    sub: "job",
    email: "job@example.com",
  };
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(JSON.parse(actOf(header, "caller")), expected);
  }
});

test("has none for another identity than that of the token", () => {
  const header = headerOf({ sub: "caller", act: { sub: "job" } });
  assert.equal(actOf(header, "caller"), '{"sub":"job"}');
  assert.equal(actOf(header, "another"), "");
  assert.equal(actOf(header, ""), "");
});

test("has none without a token, or in a token without exchanged claims", () => {
  assert.equal(actOf(undefined, "caller"), "");
  assert.equal(actOf("Bearer opaque", "caller"), "");
  assert.equal(actOf("Basic dXNlcjpwYXNz", "caller"), "");
  assert.equal(actOf(headerOf({ sub: "caller" }), "caller"), "");
});
