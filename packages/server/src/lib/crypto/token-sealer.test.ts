import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { TokenSealer } from "./token-sealer.ts";

const SECRET = randomBytes(32);
const sealer = new TokenSealer(() => SECRET, "test");

test("a token opens with the same secret, info and associated data only", () => {
  const token = sealer.seal("für", "login");
  assert.equal(new TokenSealer(() => SECRET, "test").open(token, "login"), "für");
  assert.equal(sealer.open(token), undefined);
  assert.equal(sealer.open(token, "other"), undefined);
  assert.equal(new TokenSealer(() => SECRET, "other").open(token, "login"), undefined);
  const other = randomBytes(32);
  assert.equal(new TokenSealer(() => other, "test").open(token, "login"), undefined);
});

test("a token that was changed or encoded differently does not open", () => {
  const token = sealer.seal("text");
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] === "A" ? "B" : "A";
    assert.equal(sealer.open(token.slice(0, at) + letter + token.slice(at + 1)), undefined);
  }
  for (const text of ["", "AAAA", `${token}=`, ` ${token}`, token.slice(0, -4), token + token]) {
    assert.equal(sealer.open(text), undefined, text);
  }
});

test("the key changes with the secret", () => {
  let secret = randomBytes(32);
  const rotated = new TokenSealer(() => secret, "test");
  const [key, token] = [rotated.key, rotated.seal("text")];
  assert.equal(rotated.key, key);
  secret = randomBytes(32);
  assert.notEqual(rotated.key, key);
  assert.equal(rotated.open(token), undefined);
});
