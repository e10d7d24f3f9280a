import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPassword, normalizeUsername, parseOrganizationName, parseUsername } from "./rules.ts";

test("usernames are trimmed and lower-cased", () => {
  assert.equal(parseUsername(" Ada.L+1@Example.com "), "ada.l+1@example.com");
  assert.equal(parseUsername("a".repeat(63)).length, 63);
  for (const bad of ["", " ", ".a", "a b", "ä", "a\0", "a/b", "a".repeat(64), "<b>"]) {
    assert.throws(() => parseUsername(bad), { code: "INVALID_ARGUMENT" }, JSON.stringify(bad));
    assert.equal(normalizeUsername(bad), undefined);
  }
});

test("passwords are long and not a name of the account or organization", () => {
  const rejected = (password: string, text: RegExp, again = password) =>
    assert.throws(() => checkPassword(password, again, ["ada.lovelace", "acme industries"]), text);
  rejected("elevenchars", /at least 12/);
  rejected("\u{1F600}".repeat(11), /at least 12/);
  rejected("x".repeat(1025), /at most 1024 bytes/);
  rejected("Ada.Lovelace", /must not be the name/);
  rejected("ACME Industries", /must not be the name/);
  rejected("correct horse battery", /do not match/, "correct horse batteri");
  checkPassword("aaaaaaaaaaaa", "aaaaaaaaaaaa", ["ada"]);
  checkPassword("\u{1F600}".repeat(12), "\u{1F600}".repeat(12), []);
  checkPassword("x".repeat(1024), "x".repeat(1024), []);
});

test("organizations are named as all groups are", () => {
  assert.equal(parseOrganizationName(" acme "), "acme");
  for (const bad of ["", "ACME", "a/b", "a".repeat(256), "a\0b"]) {
    assert.throws(() => parseOrganizationName(bad), /name of an organization/, JSON.stringify(bad));
  }
});
