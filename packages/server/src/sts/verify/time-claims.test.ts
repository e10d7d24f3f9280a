import assert from "node:assert/strict";
import { test } from "node:test";
import type { JWTPayload } from "jose";
import { Checks } from "./checks.ts";
import { checkTimeClaims } from "./time-claims.ts";

const NOW_SECONDS = 1_900_000_000;
const SKEW_SECONDS = 30;

function isAccepted(claims: JWTPayload): boolean {
  const checks = Checks.collectAll();
  checkTimeClaims(claims, NOW_SECONDS * 1000, checks);
  return checks.passed;
}

const VALID = { exp: NOW_SECONDS + 60 };

for (const [title, claims, expected] of [
  ["no expiry", {}, false],
  ["an expiry within clock skew", { exp: NOW_SECONDS - SKEW_SECONDS + 1 }, true],
  ["an expiry just beyond clock skew", { exp: NOW_SECONDS - SKEW_SECONDS }, false],
  ["an endless expiry", { exp: Number.POSITIVE_INFINITY }, false],
  ["not before within clock skew", { ...VALID, nbf: NOW_SECONDS + SKEW_SECONDS }, true],
  ["not before beyond clock skew", { ...VALID, nbf: NOW_SECONDS + SKEW_SECONDS + 1 }, false],
  ["issued within clock skew", { ...VALID, iat: NOW_SECONDS + SKEW_SECONDS }, true],
  ["issued beyond clock skew", { ...VALID, iat: NOW_SECONDS + SKEW_SECONDS + 1 }, false],
] as const) {
  test(`a token with ${title} is ${expected ? "accepted" : "rejected"}`, () => {
    assert.equal(isAccepted(claims), expected);
  });
}
