import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldViolation, invalidArgument, notFound, WharfError } from "../errors.ts";
import { renamed } from "./names.ts";

const NAMES = {
  staticKeys: "static",
  expirationTime: "expiration",
  requests: "roleBindings",
  "uidp.childrenOf": "parent",
};

const cases: [before: FieldViolation, after: FieldViolation][] = [
  [
    { field: "uid", description: "uid must be a uid" },
    { field: "id", description: "id must be a uid" },
  ],
  [
    { field: "staticKeys.expirationTime", description: "expirationTime must be in the future" },
    { field: "static.expiration", description: "expiration must be in the future" },
  ],
  [
    { field: "requests[3].name", description: "name is required" },
    { field: "roleBindings[3].name", description: "name is required" },
  ],
  [
    { field: "uidp.childrenOf", description: "childrenOf must be a uid" },
    { field: "parent", description: "parent must be a uid" },
  ],
  [
    { field: "claimMatch", description: "one of claimMatch, staticKeys is required" },
    { field: "claimMatch", description: "one of claimMatch, static is required" },
  ],
  [
    { field: "parent", description: "several groups have this name: give a uid" },
    { field: "parent", description: "several groups have this name: give a uid" },
  ],
  [
    { field: "", description: "the body is not valid JSON" },
    { field: "", description: "the body is not valid JSON" },
  ],
];

for (const [before, after] of cases) {
  test(`${before.field || "nothing"}: ${before.description}`, () => {
    assert.deepEqual(renamed(invalidArgument(before), NAMES), invalidArgument(after));
  });
}

test("all violations are renamed, and the message says the same", () => {
  const [one, other] = [cases[0], cases[1]] as [FieldViolation, FieldViolation][];
  const error = renamed(invalidArgument(one?.[0] as never, other?.[0] as never), NAMES);
  assert.ok(error instanceof WharfError);
  assert.equal(
    error.message,
    "Invalid argument: id: id must be a uid; static.expiration: expiration must be in the future",
  );
});

test("what names no field is left as it is", () => {
  for (const thrown of [notFound("Group", "uid"), new Error("uid"), "uid"])
    assert.equal(renamed(thrown, NAMES), thrown);
});
