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
  test("leaves the resource that it is given as it was", () => {
    const before = structuredClone(BEFORE);
    patched({ op: "remove", path: "emails" }, { op: "remove", path: "name.givenName" });
    assert.deepEqual(BEFORE, before);
  });

  const cases: [title: string, operation: object, change: Json][] = [
    ["adds what is not there", { op: "add", path: "title", value: "T" }, { title: "T" }],
    [
      "adds parts to what has parts",
      add("name", { familyName: "F" }),
      { name: { givenName: "G", familyName: "F" } },
    ],
    [
      "adds values to several",
      add("emails", [{ value: "n@x" }]),
      { emails: [WORK, HOME, { value: "n@x" }] },
    ],
    [
      "adds one value to several",
      add("emails", { value: "n@x" }),
      { emails: [WORK, HOME, { value: "n@x" }] },
    ],
    ["adds nothing twice", add("emails", [{ type: "home", value: "h@x" }]), {}],
    ["adds nothing for nothing", add("name", {}), {}],
    ["adds no unknown part", add("name", { noSuch: 1 }), {}],
    [
      "lets the primary one be another",
      add("emails", [{ value: "n@x", primary: true }]),
      { emails: [{ ...WORK, primary: false }, HOME, { value: "n@x", primary: true }] },
    ],
    ["replaces all values", { op: "replace", path: "emails", value: [HOME] }, { emails: [HOME] }],
    ["replaces by nothing", { op: "replace", path: "name", value: null }, { name: undefined }],
    [
      "changes a part of all values",
      { op: "replace", path: "emails.display", value: "D" },
      {
        emails: [
          { ...WORK, display: "D" },
          { ...HOME, display: "D" },
        ],
      },
    ],
    [
      "changes a part of the values that match",
      { op: "replace", path: 'EMAILS[Type eq "HOME"].Value', value: "n@x" },
      { emails: [WORK, { ...HOME, value: "n@x" }] },
    ],
    [
      "merges into the values that match",
      { op: "replace", path: 'emails[value eq "h@x"]', value: { display: "D" } },
      { emails: [WORK, { ...HOME, display: "D" }] },
    ],
    [
      "makes what is described and not there",
      { op: "replace", path: 'emails[type eq "other"].value', value: "o@x" },
      { emails: [WORK, HOME, { type: "other", value: "o@x" }] },
    ],
    [
      "finds values with colons, dots, brackets and quotes in them",
      {
        op: "add",
        path: String.raw`photos[value eq "https://a.b/[1].\"png"].type`,
        value: "photo",
      },
      { photos: [{ value: 'https://a.b/[1]."png', type: "photo" }] },
    ],
    [
      "removes the values that match",
      { op: "remove", path: 'emails[type eq "work"]' },
      { emails: [HOME] },
    ],
    [
      "removes a part of the values that match",
      { op: "remove", path: "emails[primary eq true].type" },
      { emails: [{ value: "w@x", primary: true }, HOME] },
    ],
    [
      "removes values that are given",
      { op: "remove", path: "emails", value: [{ value: "w@x" }] },
      { emails: [HOME] },
    ],
    ["removes everything", { op: "remove", path: "emails" }, { emails: undefined }],
    ["removes what is not there", { op: "remove", path: 'phoneNumbers[type eq "x"]' }, {}],
    [
      "removes the last part, and so the whole",
      { op: "remove", path: "name.givenName" },
      { name: undefined },
    ],
    [
      "reads names with the schema's id in front",
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
