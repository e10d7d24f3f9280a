import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, isOutdated, verifyPassword } from "./password.ts";

/** From the reference implementation's own tests. */
const REFERENCE =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

test("a password is right for its own hash, and for no other", async () => {
  const hash = await hashPassword("correct horse battery");
  assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword(hash, "correct horse battery"), true);
  assert.equal(await verifyPassword(hash, "correct horse batterY"), false);
  assert.notEqual(await hashPassword("correct horse battery"), hash, "the salt is new each time");
});

test("hashes of other implementations, made with other parameters, are read", async () => {
  assert.equal(await verifyPassword(REFERENCE, "password"), true);
  assert.equal(await verifyPassword(REFERENCE, "passwort"), false);
});

test("a hash that was made otherwise than new ones is outdated", async () => {
  assert.equal(isOutdated(REFERENCE), true);
  assert.equal(isOutdated(await hashPassword("correct horse battery")), false);
});

test("where there is no hash, no password is right", async () => {
  for (const none of [undefined, ""]) assert.equal(await verifyPassword(none, ""), false);
});

test("the same letters typed in another way are the same password", async () => {
  const hash = await hashPassword("caf\u00e9 caf\u00e9 caf\u00e9");
  assert.equal(await verifyPassword(hash, "cafe\u0301 cafe\u0301 cafe\u0301"), true);
});

test("a hash that cannot be read is an error of ours, not a wrong password", async () => {
  await assert.rejects(verifyPassword("$2b$10$abc", "x"), /cannot be read/);
});
