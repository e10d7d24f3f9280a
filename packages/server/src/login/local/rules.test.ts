import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPassword, knownUsername, readOrganization, readUsername } from "./rules.ts";

test("usernames are kept in lower case, without the spaces around them", () => {
  assert.equal(readUsername(" Ada.L+1@Example.com "), "ada.l+1@example.com");
  assert.equal(readUsername("a".repeat(63)).length, 63);
  for (const bad of ["", " ", ".a", "a b", "ä", "a\0", "a/b", "a".repeat(64), "<b>"]) {
    assert.throws(() => readUsername(bad), { code: "INVALID_ARGUMENT" }, JSON.stringify(bad));
    assert.equal(knownUsername(bad), undefined);
  }
});

test("passwords are long, and not what anyone would try first", () => {
  const refused = (password: string, text: RegExp, again = password) =>
    assert.throws(() => checkPassword(password, again, ["ada.lovelace", "acme industries"]), text);
  refused("elevenchars", /at least 12/);
  refused("\u{1F600}".repeat(11), /at least 12/);
  refused("x".repeat(1025), /at most 1024 bytes/);
  refused("Ada.Lovelace", /must not be the name/);
  refused("ACME Industries", /must not be the name/);
  refused("correct horse battery", /do not match/, "correct horse batteri");
  checkPassword("aaaaaaaaaaaa", "aaaaaaaaaaaa", ["ada"]);
  checkPassword("\u{1F600}".repeat(12), "\u{1F600}".repeat(12), []);
  checkPassword("x".repeat(1024), "x".repeat(1024), []);
});

test("organizations are named as all groups are", () => {
  assert.equal(readOrganization(" acme "), "acme");
  for (const bad of ["", "ACME", "a/b", "a".repeat(256), "a\0b"]) {
    assert.throws(() => readOrganization(bad), /name of an organization/, JSON.stringify(bad));
  }
});
