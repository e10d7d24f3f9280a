import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { PageTokens } from "./page-token.ts";

const DAY = 24 * 3_600_000;
const NOW = Date.parse("2026-03-01T00:00:00Z");
const CURSOR = { position: { key: "some name", id: 42 }, skipped: 7 };
const SECRET = randomBytes(32);
const tokens = new PageTokens(() => SECRET);

test("a token opens to the cursor that it was sealed with", () => {
  const token = tokens.seal("query", CURSOR, NOW);
  assert.deepEqual(tokens.open("query", token, NOW), { cursor: CURSOR });
});

test("a key may be a number and text of any kind", () => {
  for (const key of [0, 1_772_323_200_000, "", "ü \u{1f600} \"'"]) {
    const cursor = { position: { key, id: 1 }, skipped: 0 };
    const opened = tokens.open("query", tokens.seal("query", cursor, NOW), NOW);
    assert.deepEqual(opened, { cursor });
  }
});

test("a token is valid for three days, and expired after that", () => {
  const token = tokens.seal("query", CURSOR, NOW);
  assert.deepEqual(tokens.open("query", token, NOW + 3 * DAY), { cursor: CURSOR });
  assert.equal(tokens.open("query", token, NOW + 3 * DAY + 1), "expired");
  assert.equal(tokens.open("query", token, NOW + 365 * DAY), "expired");
});

test("a token of another query is foreign, however old", () => {
  const token = tokens.seal("query", CURSOR, NOW);
  assert.equal(tokens.open("another", token, NOW), "foreign");
  assert.equal(tokens.open("another", token, NOW + 4 * DAY), "foreign");
});

test("a token of another installation is foreign", () => {
  const other = randomBytes(32);
  const theirs = new PageTokens(() => other).seal("query", CURSOR, NOW);
  assert.equal(tokens.open("query", theirs, NOW), "foreign");
});

test("a token in which any one character differs is foreign", () => {
  const token = tokens.seal("query", CURSOR, NOW);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "A" ? "B" : "A";
    const changed = token.slice(0, at) + other + token.slice(at + 1);
    assert.equal(tokens.open("query", changed, NOW), "foreign", `character ${at}`);
  }
});

test("a malformed token is foreign", () => {
  const token = tokens.seal("query", CURSOR, NOW);
  for (const text of ["a", "AAAA", "ü", token.slice(1), `${token}=`, ` ${token}`, token + token]) {
    assert.equal(tokens.open("query", text, NOW), "foreign", text);
  }
});

test("a position has the same token for a minute and then another, and neither is readable", () => {
  const [one, two] = [
    tokens.seal("query", CURSOR, NOW),
    tokens.seal("query", CURSOR, NOW + 59_000),
  ];
  assert.equal(one, two);
  assert.notEqual(tokens.seal("query", CURSOR, NOW + 61_000), one);
  assert.ok(!Buffer.from(one, "base64url").toString("latin1").includes("some name"));
});

test("a token sealed by an earlier version opens", () => {
  const earlier = new PageTokens(() => Buffer.alloc(32, 7));
  const token =
    "Gc8WiPkQDlNBRw-b4UL02sPYx7k-jVlg_hRVeOFTvjW56sZTMjJZyAX841PQjTRCcUwvj5Oj9vPFD-7-Hs95ZJaKLNQK_TDCzF7g";
  const cursor = { position: { key: "name", id: 5 }, skipped: 2 };
  assert.deepEqual(earlier.open("query", token, 1_000_000), { cursor });
});

test("a new secret invalidates older tokens immediately", () => {
  let secret = randomBytes(32);
  const rotated = new PageTokens(() => secret);
  const before = rotated.seal("query", CURSOR, NOW);
  secret = randomBytes(32);
  assert.equal(rotated.open("query", before, NOW), "foreign");
  const after = rotated.seal("query", CURSOR, NOW);
  assert.notEqual(after, before, "the one from before is not given out again");
  assert.deepEqual(rotated.open("query", after, NOW), { cursor: CURSOR });
});
