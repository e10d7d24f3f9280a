import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ALL_CAPABILITIES, Capability } from "./capabilities.ts";
import { CapabilitySet } from "./capability-set.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const { CAP_IAM_GROUPS_LIST, CAP_REPO_LIST, CAP_TAG_LIST, CAP_GULFSTREAM } = Capability;
const capabilities = fc.uniqueArray(fc.constantFrom(...ALL_CAPABILITIES));
const sets = capabilities.map((list) => CapabilitySet.of(...list));

test("a set has its members once and in order", () => {
  const set = CapabilitySet.of(CAP_TAG_LIST, CAP_IAM_GROUPS_LIST, CAP_TAG_LIST);
  assert.deepEqual(set.toArray(), [CAP_IAM_GROUPS_LIST, CAP_TAG_LIST]);
  assert.equal(set.size, 2);
  assert.ok(set.has(CAP_TAG_LIST));
  assert.ok(!set.has(CAP_REPO_LIST));
});

test("unknown numbers are never in a set", () => {
  const strange = [0, 1, 9999, 10001, -1, 2 ** 31] as Capability[];
  const set = CapabilitySet.of(...strange, ...ALL_CAPABILITIES);
  assert.equal(set.size, ALL_CAPABILITIES.length);
  for (const number of strange) assert.ok(!set.has(number), `${number}`);
});

test("the empty set is a subset of every set", () => {
  assert.ok(CapabilitySet.EMPTY.isEmpty);
  assert.ok(!CapabilitySet.of(CAP_GULFSTREAM).isEmpty);
  assert.ok(CapabilitySet.EMPTY.hasAll([]));
  assert.ok(CapabilitySet.EMPTY.hasAll(CapabilitySet.EMPTY));
  assert.ok(!CapabilitySet.EMPTY.hasAll([CAP_REPO_LIST]));
});

test("sets behave as sets of numbers do", () => {
  const property = fc.property(capabilities, capabilities, (a, b) => {
    const [left, right] = [CapabilitySet.of(...a), CapabilitySet.of(...b)];
    const sorted = (set: Set<Capability>) => [...set].sort((x, y) => x - y);
    const [x, y] = [new Set(a), new Set(b)];
    assert.deepEqual(left.union(right).toArray(), sorted(x.union(y)));
    assert.deepEqual(left.intersect(right).toArray(), sorted(x.intersection(y)));
    assert.deepEqual(left.minus(right).toArray(), sorted(x.difference(y)));
    assert.equal(left.hasAll(right), x.isSupersetOf(y));
    assert.equal(left.hasAll(b), x.isSupersetOf(y));
  });
  fc.assert(property, { seed: SEED });
});

test("combining leaves both sets as they were", () => {
  const [a, b] = [CapabilitySet.of(CAP_REPO_LIST), CapabilitySet.of(CAP_TAG_LIST)];
  a.union(b);
  a.minus(b);
  a.intersect(b);
  assert.deepEqual([...a.toArray(), ...b.toArray()], [CAP_REPO_LIST, CAP_TAG_LIST]);
});

test("encoding round-trips", () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.deepEqual(CapabilitySet.decode(set.encode()).toArray(), set.toArray());
    }),
    { seed: SEED },
  );
});

test("the encoded form is length and words, big-endian, in padded URL-safe base64", () => {
  const hex = (set: CapabilitySet) => Buffer.from(set.encode(), "base64url").toString("hex");
  assert.equal(CapabilitySet.of(CAP_IAM_GROUPS_LIST).encode(), "AAAAAAAAADIAAAAAAAAACA==");
  assert.equal(hex(CapabilitySet.EMPTY), "0000000000000032" + "0000000000000000");
  assert.equal(
    hex(CapabilitySet.of(CAP_TAG_LIST)),
    "0000000000000043" + "0000000000000000" + "0000000000000004",
  );
  assert.doesNotMatch(CapabilitySet.of(...ALL_CAPABILITIES).encode(), /[+/]/);
});

test("old tokens carry a list of numbers", () => {
  const set = CapabilitySet.decode([CAP_REPO_LIST, 9999]);
  assert.deepEqual(set.toArray(), [CAP_REPO_LIST]);
});

test("unknown bits grant nothing", () => {
  const everything = Buffer.alloc(8 + 40, 0xff);
  everything.writeBigUInt64BE(320n);
  const set = CapabilitySet.decode(everything.toString("base64url"));
  assert.deepEqual(set.toArray(), [...ALL_CAPABILITIES]);
  assert.equal(set.encode(), CapabilitySet.of(...ALL_CAPABILITIES).encode());
});

test("a malformed set is rejected", () => {
  const short = Buffer.from("0000000000000043" + "0000000000000000", "hex");
  const huge = Buffer.alloc(16, 0xff);
  for (const text of ["", "AAAA", short.toString("base64"), huge.toString("base64")]) {
    assert.throws(() => CapabilitySet.decode(text), RangeError);
  }
});
