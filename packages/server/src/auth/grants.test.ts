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

/** Few levels below few roots, so that scopes are often ancestors, descendants or siblings. */
const scopes = fc
  .tuple(fc.constantFrom("a", "b"), fc.array(fc.constantFrom("c", "d"), { maxLength: 4 }))
  .map(([root, steps]) => [root.repeat(40), ...steps.map((step) => step.repeat(16))].join("/"));

const some = fc.subarray(CAPABILITIES, { minLength: 1 });
const entries = fc.array(fc.tuple(scopes, fc.subarray(CAPABILITIES)), { maxLength: 8 });

type Entry = [scope: string, capabilities: Capability[]];

const isWithin = (uid: string, scope: string) => `${uid}/`.startsWith(`${scope}/`);

/** The reference implementation: the union of all grants at the scope and above it. */
function held(granted: readonly Entry[], uid: string): Set<Capability> {
  return new Set(granted.flatMap(([scope, list]) => (isWithin(uid, scope) ? list : [])));
}

function grantsOf(granted: readonly Entry[]): Grants {
  return Grants.at(granted.map(([scope, list]) => [scope, CapabilitySet.of(...list)] as const));
}

function holdsAll(
  granted: readonly Entry[],
  uid: string,
  required: readonly Capability[],
): boolean {
  const there = held(granted, uid);
  return required.every((one) => there.has(one));
}

test("a scope has exactly the capabilities granted at it and above it", () => {
  const property = fc.property(entries, scopes, (granted, uid) => {
    const expected = [...held(granted, uid)].sort((a, b) => a - b);
    assert.deepEqual(grantsOf(granted).heldAt(uid).toArray(), expected);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("several capabilities are held when each is, from any scope above", () => {
  const property = fc.property(entries, scopes, some, (granted, uid, required) => {
    const grants = grantsOf(granted);
    const expected = holdsAll(granted, uid, required);
    assert.equal(grants.holds(required, uid), expected);
    assert.equal(grants.holds(CapabilitySet.of(...required), uid), expected);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach covers a scope exactly when everything asked for is held there", () => {
  const property = fc.property(entries, scopes, some, (granted, uid, required) => {
    const reach = grantsOf(granted).reach(required);
    assert.ok("scopes" in reach);
    const covered = reach.scopes.some((scope) => isWithin(uid, scope));
    assert.equal(covered, holdsAll(granted, uid, required));
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach has no scope twice and none below another", () => {
  const property = fc.property(entries, some, (granted, required) => {
    const reach = grantsOf(granted).reach(required);
    assert.ok("scopes" in reach);
    for (const [at, scope] of reach.scopes.entries()) {
      const covering: string[] = reach.scopes.filter(
        (other, index) => index !== at && isWithin(scope, other),
      );
      assert.deepEqual(covering, [], `${scope} is covered twice`);
    }
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("the reach is cached by capabilities", () => {
  const grants = grantsOf([["a".repeat(40), CAPABILITIES]]);
  const [first, second] = CAPABILITIES as [Capability, Capability];
  assert.deepEqual(grants.reach([first]), grants.reach([first]));
  assert.deepEqual(grants.reach([first, second]), { scopes: ["a".repeat(40)] });
  assert.deepEqual(grants.reach([Capability.CAP_TAG_DELETE]), { scopes: [] });
});

test("grants everywhere reach everything, except for capabilities that they lack", () => {
  const grants = Grants.everywhere(CapabilitySet.of(Capability.CAP_REPO_LIST));
  const anywhere = `${"f".repeat(40)}/${"0".repeat(16)}`;
  assert.ok(grants.holds([Capability.CAP_REPO_LIST], anywhere));
  assert.ok(grants.holds([Capability.CAP_REPO_LIST], ""));
  assert.ok(!grants.holds([Capability.CAP_TAG_LIST], anywhere));
  assert.deepEqual(grants.reach([Capability.CAP_REPO_LIST]), { everything: true });
  assert.deepEqual(grants.reach([Capability.CAP_TAG_LIST]), { scopes: [] });
});

test("nothing is held at the empty scope, nor at an invalid uid", () => {
  const grants = grantsOf([["a".repeat(40), CAPABILITIES]]);
  for (const nowhere of ["", "/", "//", "a", "a".repeat(39), "a".repeat(41), "b".repeat(40)]) {
    assert.ok(!grants.holds([Capability.CAP_REPO_LIST], nowhere), nowhere);
    assert.ok(Grants.NONE.heldAt(nowhere).isEmpty);
  }
});
