import assert from "node:assert/strict";
import { test } from "node:test";
import { Capability, CapabilitySet } from "@wharf/contract";
import fc from "fast-check";
import { Grants } from "./grants.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const CAPABILITIES = [
  Capability.CAP_IAM_GROUPS_LIST,
  Capability.CAP_IAM_GROUPS_CREATE,
  Capability.CAP_REPO_LIST,
  Capability.CAP_TAG_LIST,
];

/** Few steps down from few roots, so that scopes are often above, below or beside each other. */
const scopes = fc
  .tuple(fc.constantFrom("a", "b"), fc.array(fc.constantFrom("c", "d"), { maxLength: 4 }))
  .map(([root, steps]) => [root.repeat(40), ...steps.map((step) => step.repeat(16))].join("/"));

const some = fc.subarray(CAPABILITIES, { minLength: 1 });
const entries = fc.array(fc.tuple(scopes, fc.subarray(CAPABILITIES)), { maxLength: 8 });

type Entry = [place: string, capabilities: Capability[]];

const isWithin = (uid: string, place: string) => `${uid}/`.startsWith(`${place}/`);

/** What is held at a place, the slow way: whatever any grant above or at it says. */
function held(granted: readonly Entry[], uid: string): Set<Capability> {
  return new Set(granted.flatMap(([place, list]) => (isWithin(uid, place) ? list : [])));
}

function grantsOf(granted: readonly Entry[]): Grants {
  return Grants.at(granted.map(([place, list]) => [place, CapabilitySet.of(...list)] as const));
}

function holdsAll(granted: readonly Entry[], uid: string, wanted: readonly Capability[]): boolean {
  const there = held(granted, uid);
  return wanted.every((one) => there.has(one));
}

test("a place has what was granted at it and above it, and nothing else", () => {
  const property = fc.property(entries, scopes, (granted, uid) => {
    const expected = [...held(granted, uid)].sort((a, b) => a - b);
    assert.deepEqual(grantsOf(granted).heldAt(uid).toArray(), expected);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("holding several capabilities takes each of them, wherever they come from", () => {
  const property = fc.property(entries, scopes, some, (granted, uid, wanted) => {
    const grants = grantsOf(granted);
    const expected = holdsAll(granted, uid, wanted);
    assert.equal(grants.holds(wanted, uid), expected);
    assert.equal(grants.holds(CapabilitySet.of(...wanted), uid), expected);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach covers a place exactly when everything asked for is held there", () => {
  const property = fc.property(entries, scopes, some, (granted, uid, wanted) => {
    const reach = grantsOf(granted).reach(wanted);
    assert.ok("scopes" in reach);
    const covered = reach.scopes.some((place) => isWithin(uid, place));
    assert.equal(covered, holdsAll(granted, uid, wanted));
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach names no place twice and none within another", () => {
  const property = fc.property(entries, some, (granted, wanted) => {
    const reach = grantsOf(granted).reach(wanted);
    assert.ok("scopes" in reach);
    for (const [at, place] of reach.scopes.entries()) {
      const covering: string[] = reach.scopes.filter(
        (other, index) => index !== at && isWithin(place, other),
      );
      assert.deepEqual(covering, [], `${place} is covered twice`);
    }
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach of a question is the same each time it is asked", () => {
  const grants = grantsOf([["a".repeat(40), CAPABILITIES]]);
  const [first, second] = CAPABILITIES as [Capability, Capability];
  assert.deepEqual(grants.reach([first]), grants.reach([first]));
  assert.deepEqual(grants.reach([first, second]), { scopes: ["a".repeat(40)] });
  assert.deepEqual(grants.reach([Capability.CAP_TAG_DELETE]), { scopes: [] });
});

test("grants everywhere reach everything, but for what they do not include", () => {
  const grants = Grants.everywhere(CapabilitySet.of(Capability.CAP_REPO_LIST));
  const anywhere = `${"f".repeat(40)}/${"0".repeat(16)}`;
  assert.ok(grants.holds([Capability.CAP_REPO_LIST], anywhere));
  assert.ok(grants.holds([Capability.CAP_REPO_LIST], ""));
  assert.ok(!grants.holds([Capability.CAP_TAG_LIST], anywhere));
  assert.deepEqual(grants.reach([Capability.CAP_REPO_LIST]), { everything: true });
  assert.deepEqual(grants.reach([Capability.CAP_TAG_LIST]), { scopes: [] });
});

test("nobody holds anything at the place above everything, nor at what is no uid", () => {
  const grants = grantsOf([["a".repeat(40), CAPABILITIES]]);
  for (const nowhere of ["", "/", "//", "a", "a".repeat(39), "a".repeat(41), "b".repeat(40)]) {
    assert.ok(!grants.holds([Capability.CAP_REPO_LIST], nowhere), nowhere);
    assert.ok(Grants.NONE.heldAt(nowhere).isEmpty);
  }
});
