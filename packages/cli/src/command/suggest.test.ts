import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, suggest } from "./suggest.ts";

test("typos are recognized, other words are not", () => {
  const commands = ["list", "describe", "create", "update", "delete"];
  assert.deepEqual(suggest("lsit", commands), ["list"]);
  assert.deepEqual(suggest("crate", commands), ["create"]);
  assert.deepEqual(suggest("desc", commands), ["describe"]);
  assert.deepEqual(suggest("deleet", commands), ["delete"]);
  assert.deepEqual(suggest("frobnicate", commands), []);
  assert.equal(didYouMean("frobnicate", commands), undefined);
  assert.equal(didYouMean("lst", ["list", "ls"]), "did you mean list or ls?");
});
