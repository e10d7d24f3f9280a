import assert from "node:assert/strict";
import { test } from "node:test";
import { anyIssuer, readClaims, staticKeys } from "./issuers.ts";
import { jwksProblem } from "./key-set.ts";
import { problemsOf, trustOf } from "./platform.ts";

const TOKENS = { issuer: "https://ci.example.com", subject: "app" };

test("any issuer: an exact subject or a pattern, with all claims that were entered", () => {
  const claims = "team=a, b=c\n\n ref = main ";
  assert.deepEqual(trustOf(anyIssuer, { ...TOKENS, claims, audience: "x" }).relationship, {
    claimMatch: { ...TOKENS, audience: "x", claims: { team: "a, b=c", ref: "main" } },
  });
  const pattern = trustOf(anyIssuer, { ...TOKENS, match: "pattern", subject: "app-.+" });
  assert.equal(pattern.relationship.claimMatch?.subjectPattern, "app-.+");
  assert.equal(pattern.name, "", "a pattern is no name");
  assert.deepEqual(Object.keys(problemsOf(anyIssuer, {})), ["issuer", "subject"]);
});

test("a line that is no claim is a problem: without it, more tokens would be trusted", () => {
  for (const claims of ["team: a", "=a", "team=a\nref", "team=a\nteam=b"]) {
    assert.deepEqual(Object.keys(problemsOf(anyIssuer, { ...TOKENS, claims })), ["claims"], claims);
  }
  assert.deepEqual(Object.keys(readClaims("__proto__=x").claims), ["__proto__"]);
});

test("static keys need public keys", () => {
  assert.deepEqual(Object.keys(problemsOf(staticKeys, TOKENS)), ["issuerKeys"]);
  assert.equal(jwksProblem('{"keys":[{"kty":"EC"}]}'), undefined);
  assert.match(jwksProblem("x") ?? "", /JSON Web Key Set/);
  for (const text of ["null", "{}", '{"keys":[]}', '{"keys":{}}']) {
    assert.match(jwksProblem(text) ?? "", /at least one key/, text);
  }
  for (const text of ['{"keys":[null]}', '{"keys":[{}]}', '{"keys":["a"]}']) {
    assert.match(jwksProblem(text) ?? "", /kty/, text);
  }
  assert.match(jwksProblem('{"keys":[{"kty":"EC","d":"x"}]}') ?? "", /public keys only/);
});
