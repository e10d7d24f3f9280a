import assert from "node:assert/strict";
import { test } from "node:test";
import { readBearer, requireBearer } from "./bearer.ts";

const HEADERS: readonly (readonly [header: string | undefined, token: string | undefined])[] = [
  ["Bearer a.b.c", "a.b.c"],
  ["bearer a.b.c", "a.b.c"],
  ["BEARER   a.b.c  ", "a.b.c"],
  ["Bearer a\t", "a\t"],
  ["Bearer a b", "a b"],
  [undefined, undefined],
  ["", undefined],
  ["Bearer", undefined],
  ["Bearer ", undefined],
  ["Bearer    ", undefined],
  ["Bearers a", undefined],
  ["Basic a", undefined],
  ["a-1.b_2.c3", "a-1.b_2.c3"],
  ["  a.b.c ", "a.b.c"],
  ["a.b", undefined],
  ["a.b.", undefined],
  [".b.c", undefined],
  ["a.b.c.d", undefined],
  ["a.b.c=", undefined],
  ["Token a.b.c", undefined],
  ["a.b.c, d.e.f", undefined],
  ["a.b.c\n", undefined],
];
for (const [header, token] of HEADERS) {
  test(`${JSON.stringify(header)} has the token ${JSON.stringify(token)}`, () => {
    assert.equal(readBearer(header), token);
  });
}

test("a missing token is UNAUTHENTICATED and named", () => {
  assert.throws(() => requireBearer("Basic a", "the refresh token"), {
    code: "UNAUTHENTICATED",
    message: /the refresh token must be the bearer token/,
  });
});
