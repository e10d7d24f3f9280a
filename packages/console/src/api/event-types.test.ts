import assert from "node:assert/strict";
import { test } from "node:test";
import { patternsOf, resourceOf } from "./event-types.ts";

const [CREATED, DELETED, PUSHED, RENAMED] = [
  { name: "iam.group.created.v1" },
  { name: "iam.group.deleted.v1" },
  { name: "registry.push.v1" },
  { name: "iam.group_name.changed.v1" },
] as const;
const ALL = [CREATED, DELETED, PUSHED, RENAMED];

test("the resource of a type is its first two parts", () => {
  assert.equal(resourceOf(CREATED.name), "iam.group");
  assert.equal(resourceOf("iam.group.*"), "iam.group");
});

test("a caller who may read all types needs no pattern", () => {
  assert.deepEqual(patternsOf(ALL, ALL), []);
});

test("patterns select only resources all of whose types are readable", () => {
  assert.deepEqual(patternsOf([CREATED, PUSHED], ALL), ["registry.push.*"]);
  assert.deepEqual(patternsOf([CREATED, DELETED, PUSHED], ALL), ["iam.group.*", "registry.push.*"]);
});
