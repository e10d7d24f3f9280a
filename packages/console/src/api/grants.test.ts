import assert from "node:assert/strict";
import { test } from "node:test";
import { grants, heldWithin } from "./grants.ts";

const ORG = "a".repeat(40);
const TEAM = `${ORG}/${"1".repeat(16)}`;
const OTHER = `${ORG}/${"2".repeat(16)}`;

const listed = (id: string, ...capabilities: string[]) => ({ group: { id }, capabilities });

test("a capability applies to its group and everything below it", () => {
  const held = listed(TEAM, "groups.list");
  assert.ok(grants(held, "groups.list", TEAM));
  assert.ok(grants(held, "groups.list", `${TEAM}/${"3".repeat(16)}`));
  for (const group of [ORG, OTHER, `${TEAM}0`])
    assert.ok(!grants(held, "groups.list", group), group);
});

test("a grant without a group applies everywhere", () => {
  assert.ok(grants({ capabilities: ["groups.list"] }, "groups.list", ORG));
});

test("only the listed capabilities are held", () => {
  assert.ok(!grants(listed(ORG, "groups.list"), "groups.create", ORG));
  assert.ok(!grants({ group: { id: ORG } }, "groups.list", ORG));
});

test("listed capabilities replace those of the role", () => {
  const role = { capabilities: ["groups.list", "groups.delete"] };
  assert.ok(grants({ group: { id: ORG }, role }, "groups.delete", ORG));
  assert.ok(!grants({ ...listed(ORG, "groups.list"), role }, "groups.delete", ORG));
});

test("what is held above a group is held at it, once", () => {
  assert.deepEqual(heldWithin([listed(ORG, "groups.list"), listed(TEAM, "repo.list")], TEAM), [
    TEAM,
  ]);
});

test("what is held below a group only is named by its own groups", () => {
  const held = [listed(TEAM, "groups.list"), listed("b".repeat(40), "groups.list")];
  assert.deepEqual(heldWithin(held, ORG), [TEAM]);
  assert.deepEqual(heldWithin(held, OTHER), []);
});
