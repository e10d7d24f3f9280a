import assert from "node:assert/strict";
import { test } from "node:test";
import { PasswordHasher } from "./password.ts";

const ADDRESS = "192.0.2.7";
const PASSWORD = "correct horse battery";

const passwords = new PasswordHasher({ memory: 64, passes: 1, parallelism: 1 });

/** From the tests of the reference implementation. */
const REFERENCE =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

test("the default cost is the second recommended option of RFC 9106 with one lane", async () => {
  const production = new PasswordHasher();
  const hash = await production.hash(PASSWORD, ADDRESS);
  assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await production.verify(hash, PASSWORD, ADDRESS), true);
  assert.equal(production.isOutdated(hash), false);
});

test("a password matches its own hash only", async () => {
  const hash = await passwords.hash(PASSWORD, ADDRESS);
  assert.match(hash, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await passwords.verify(hash, PASSWORD, ADDRESS), true);
  assert.equal(await passwords.verify(hash, "correct horse batterY", ADDRESS), false);
  assert.notEqual(await passwords.hash(PASSWORD, ADDRESS), hash, "each hash has a new salt");
});

test("hashes of other implementations with other parameters are verified", async () => {
  assert.equal(await passwords.verify(REFERENCE, "password", ADDRESS), true);
  assert.equal(await passwords.verify(REFERENCE, "passwort", ADDRESS), false);
});

test("a hash with other parameters than new ones is outdated", async () => {
  assert.equal(passwords.isOutdated(REFERENCE), true);
  const hash = await passwords.hash(PASSWORD, ADDRESS);
  assert.equal(passwords.isOutdated(hash), false);
  assert.equal(new PasswordHasher().isOutdated(hash), true);
});

test("without a hash no password matches", async () => {
  for (const none of [undefined, ""])
    assert.equal(await passwords.verify(none, "", ADDRESS), false);
});

test("passwords are compared after Unicode normalization", async () => {
  const hash = await passwords.hash("caf\u00e9 caf\u00e9 caf\u00e9", ADDRESS);
  assert.equal(await passwords.verify(hash, "cafe\u0301 cafe\u0301 cafe\u0301", ADDRESS), true);
});

test("an unreadable hash is an internal error, not a wrong password", async () => {
  await assert.rejects(passwords.verify("$2b$10$abc", "x", ADDRESS), /cannot be read/);
});
