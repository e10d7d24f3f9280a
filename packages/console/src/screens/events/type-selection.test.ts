import assert from "node:assert/strict";
import { test } from "node:test";
import { missingCapabilities, toggled, typesByResource, unlisted } from "./type-selection.ts";

const CREATED = { name: "iam.group.created.v1", capabilities: ["groups.list"] };
const DELETED = { name: "iam.group.deleted.v1", capabilities: ["groups.list"] };
const PUSHED = { name: "registry.push.v1", capabilities: ["repo.list", "tag.list"] };
const TYPES = [CREATED, PUSHED, DELETED];

test("a name is added at the end, and removed by the second toggle", () => {
  assert.deepEqual(toggled(["a"], "b"), ["a", "b"]);
  assert.deepEqual(toggled(["a", "b"], "a"), ["b"]);
});

test("a pattern replaces the names that it implies", () => {
  const names = [CREATED.name, DELETED.name];
  assert.deepEqual(toggled([CREATED.name, PUSHED.name], "iam.group.*", names), [
    PUSHED.name,
    "iam.group.*",
  ]);
});

test("types are grouped by resource, in their order", () => {
  assert.deepEqual(typesByResource(TYPES, "", new Set()), [
    ["iam.group", [CREATED, DELETED]],
    ["registry.push", [PUSHED]],
  ]);
});

test("the types of preferred resources precede others", () => {
  const resources = typesByResource(TYPES, "", new Set(["registry.push"])).map(([name]) => name);
  assert.deepEqual(resources, ["registry.push", "iam.group"]);
});

test("a text selects types by any part of their name, in any case", () => {
  assert.deepEqual(typesByResource(TYPES, " DELETED ", new Set()), [["iam.group", [DELETED]]]);
  assert.deepEqual(typesByResource(TYPES, "absent", new Set()), []);
});

test("patterns are unlisted only once the types are known", () => {
  const chosen = [CREATED.name, "registry.push.*", "iam.*"];
  assert.deepEqual(unlisted(TYPES, chosen), ["iam.*"]);
  assert.deepEqual(unlisted([], chosen), []);
});

test("each missing capability is named once", () => {
  assert.deepEqual(
    missingCapabilities([CREATED, DELETED], () => false),
    ["groups.list"],
  );
  assert.deepEqual(
    missingCapabilities([PUSHED], (one) => one === "repo.list"),
    ["tag.list"],
  );
});
