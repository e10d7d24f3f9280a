import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applyPatch, readPatch } from "./patch.ts";
import { USER } from "./schemas.ts";
import type { Json } from "./values.ts";

const WORK = { value: "w@x", type: "work", primary: true };
const HOME = { value: "h@x", type: "home" };
const BEFORE = { userName: "u", name: { givenName: "G" }, emails: [WORK, HOME] };

function patched(...Operations: object[]): Json {
  return applyPatch(USER, BEFORE, readPatch(USER, { Operations }));
}

describe("a patch", () => {
  test("does not modify its input", () => {
    const before = structuredClone(BEFORE);
    patched({ op: "remove", path: "emails" }, { op: "remove", path: "name.givenName" });
    assert.deepEqual(BEFORE, before);
  });

  const cases: [title: string, operation: object, change: Json][] = [
    ["adds a missing attribute", { op: "add", path: "title", value: "T" }, { title: "T" }],
    [
      "merges sub-attributes",
      add("name", { familyName: "F" }),
      { name: { givenName: "G", familyName: "F" } },
    ],
    [
      "adds values to a multi-valued attribute",
      add("emails", [{ value: "n@x" }]),
      { emails: [WORK, HOME, { value: "n@x" }] },
    ],
    [
      "adds a single value to a multi-valued attribute",
      add("emails", { value: "n@x" }),
      { emails: [WORK, HOME, { value: "n@x" }] },
    ],
    ["adds no duplicates", add("emails", [{ type: "home", value: "h@x" }]), {}],
    ["ignores an empty value", add("name", {}), {}],
    ["ignores unknown sub-attributes", add("name", { noSuch: 1 }), {}],
    [
      "moves the primary flag",
      add("emails", [{ value: "n@x", primary: true }]),
      { emails: [{ ...WORK, primary: false }, HOME, { value: "n@x", primary: true }] },
    ],
    ["replaces all values", { op: "replace", path: "emails", value: [HOME] }, { emails: [HOME] }],
    [
      "removes by replacing with null",
      { op: "replace", path: "name", value: null },
      { name: undefined },
    ],
    [
      "changes a sub-attribute of all values",
      { op: "replace", path: "emails.display", value: "D" },
      {
        emails: [
          { ...WORK, display: "D" },
          { ...HOME, display: "D" },
        ],
      },
    ],
    [
      "changes a sub-attribute of matching values",
      { op: "replace", path: 'EMAILS[Type eq "HOME"].Value', value: "n@x" },
      { emails: [WORK, { ...HOME, value: "n@x" }] },
    ],
    [
      "merges into matching values",
      { op: "replace", path: 'emails[value eq "h@x"]', value: { display: "D" } },
      { emails: [WORK, { ...HOME, display: "D" }] },
    ],
    [
      "adds the value that a filter describes",
      { op: "replace", path: 'emails[type eq "other"].value', value: "o@x" },
      { emails: [WORK, HOME, { type: "other", value: "o@x" }] },
    ],
    [
      "parses filters with colons, dots, brackets and quotes",
      {
        op: "add",
        path: String.raw`photos[value eq "https://a.b/[1].\"png"].type`,
        value: "photo",
      },
      { photos: [{ value: 'https://a.b/[1]."png', type: "photo" }] },
    ],
    [
      "removes matching values",
      { op: "remove", path: 'emails[type eq "work"]' },
      { emails: [HOME] },
    ],
    [
      "removes a sub-attribute of matching values",
      { op: "remove", path: "emails[primary eq true].type" },
      { emails: [{ value: "w@x", primary: true }, HOME] },
    ],
    [
      "removes given values",
      { op: "remove", path: "emails", value: [{ value: "w@x" }] },
      { emails: [HOME] },
    ],
    ["removes all values", { op: "remove", path: "emails" }, { emails: undefined }],
    [
      "ignores the removal of a missing value",
      { op: "remove", path: 'phoneNumbers[type eq "x"]' },
      {},
    ],
    [
      "removes a complex attribute with its last sub-attribute",
      { op: "remove", path: "name.givenName" },
      { name: undefined },
    ],
    [
      "accepts names with the schema id as prefix",
      {
        op: "add",
        path: 'urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "home"].display',
        value: "D",
      },
      { emails: [WORK, { ...HOME, display: "D" }] },
    ],
  ];
  for (const [title, operation, change] of cases) {
    test(title, () => {
      const wanted = Object.entries({ ...BEFORE, ...change }).filter(
        ([, value]) => value !== undefined,
      );
      assert.deepEqual(patched(operation), Object.fromEntries(wanted));
    });
  }

  test("never reaches a prototype", () => {
    const value = JSON.parse('{"__proto__.x":1,"__proto__":{"x":1},"constructor.prototype.x":1}');
    patched(add("name", value), { op: "add", value: { name: value, ...value } });
    assert.equal("x" in {}, false);
    assert.throws(() => patched({ op: "add", path: 'emails[__proto__ eq "x"].value', value: "v" }));
  });
});

function add(path: string, value: unknown): object {
  return { op: "add", path, value };
}
