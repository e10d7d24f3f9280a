import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf } from "./share.ts";

const ORG = "a".repeat(40);
const OTHER = "b".repeat(40);
const key = (uid: string, remoteAddress: string, isOperator = false) =>
  shareOf({ caller: { uid, isOperator }, remoteAddress }).key;

test("identities of one organization and network share, others do not", () => {
  const one = key(`${ORG}/${"1".repeat(16)}`, "192.0.2.1");
  assert.equal(key(`${ORG}/${"2".repeat(16)}`, "192.0.2.200"), one);
  assert.equal(key(`${ORG}/${"2".repeat(16)}/${"3".repeat(16)}`, "192.0.2.1"), one);
  assert.notEqual(key(`${OTHER}/${"1".repeat(16)}`, "192.0.2.1"), one);
  assert.notEqual(key(`${ORG}/${"1".repeat(16)}`, "192.0.3.1"), one);
});

test("people and anonymous callers share by network, whatever their identity", () => {
  assert.equal(key(ORG, "192.0.2.1"), key(OTHER, "192.0.2.9"));
  assert.equal(key("", "192.0.2.1"), key(OTHER, "192.0.2.9"));
  assert.notEqual(key(ORG, "192.0.2.1"), key(ORG, "192.0.3.1"));
});

test("the operator has one share, which nobody else has", () => {
  assert.equal(key(ORG, "192.0.2.1", true), key(ORG, "2001:db8::1", true));
  assert.notEqual(key(ORG, "192.0.2.1", true), key(ORG, "192.0.2.1"));
});
