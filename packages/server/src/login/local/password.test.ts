import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, isOutdated, verifyPassword } from "./password.ts";

const ADDRESS = "192.0.2.7";

/** From the reference implementation's own tests. */
const REFERENCE =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

test("a password is right for its own hash, and for no other", async () => {
  const hash = await hashPassword("correct horse battery", ADDRESS);
  assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword(hash, "correct horse battery", ADDRESS), true);
  assert.equal(await verifyPassword(hash, "correct horse batterY", ADDRESS), false);
  assert.notEqual(
    await hashPassword("correct horse battery", ADDRESS),
    hash,
    "the salt is new each time",
  );
});

test("hashes of other implementations, made with other parameters, are read", async () => {
  assert.equal(await verifyPassword(REFERENCE, "password", ADDRESS), true);
  assert.equal(await verifyPassword(REFERENCE, "passwort", ADDRESS), false);
});

test("a hash that was made otherwise than new ones is outdated", async () => {
  assert.equal(isOutdated(REFERENCE), true);
  assert.equal(isOutdated(await hashPassword("correct horse battery", ADDRESS)), false);
});

test("where there is no hash, no password is right", async () => {
  for (const none of [undefined, ""]) assert.equal(await verifyPassword(none, "", ADDRESS), false);
});

test("the same letters typed in another way are the same password", async () => {
  const hash = await hashPassword("caf\u00e9 caf\u00e9 caf\u00e9", ADDRESS);
  assert.equal(await verifyPassword(hash, "cafe\u0301 cafe\u0301 cafe\u0301", ADDRESS), true);
});

test("a hash that cannot be read is an error of ours, not a wrong password", async () => {
  await assert.rejects(verifyPassword("$2b$10$abc", "x", ADDRESS), /cannot be read/);
});
