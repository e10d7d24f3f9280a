import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { UIDPFilterSchema } from "@wharf/contract";
import fc from "fast-check";
import type { Reach } from "../../auth/grants.ts";
import type { Range } from "../../store/resources/query.ts";
import { canSee, rangesFor, type TreeShape } from "./ranges.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const IDENTITIES: TreeShape = { isScope: false, uidIsParent: false, rootsAreShared: false };
const GROUPS: TreeShape = { ...IDENTITIES, isScope: true };
const ROLES: TreeShape = { ...IDENTITIES, rootsAreShared: true };
const ASSOCIATIONS: TreeShape = { ...IDENTITIES, uidIsParent: true };

/** Few levels below few roots, so that uids are often ancestors, descendants or siblings. */
const uids = fc
  .tuple(fc.constantFrom("a", "b"), fc.array(fc.constantFrom("c", "d"), { maxLength: 4 }))
  .map(([root, steps]) => [root.repeat(40), ...steps.map((step) => step.repeat(16))].join("/"));

const parentOf = (uid: string) => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));
const isBelow = (uid: string, scope: string) => uid.startsWith(`${scope}/`);
const isWithin = (uid: string, scope: string) => uid === scope || isBelow(uid, scope);

/** Scopes as a reach has them: none below another. */
const reaches: fc.Arbitrary<Reach> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ everything: true } as const) },
  {
    weight: 4,
    arbitrary: fc.array(uids, { maxLength: 4 }).map((list) => ({
      scopes: [...new Set(list)].filter((uid) => !list.some((other) => isBelow(uid, other))),
    })),
  },
);

interface RangeQuery {
  readonly ancestorsOf?: string;
  readonly descendantsOf?: string;
  readonly childrenOf?: string;
  readonly inRoot?: boolean;
  readonly ids?: string[];
}

const filters: fc.Arbitrary<RangeQuery> = fc.record(
  {
    ancestorsOf: uids,
    descendantsOf: uids,
    childrenOf: uids,
    inRoot: fc.boolean(),
    ids: fc.array(uids, { maxLength: 5 }),
  },
  { requiredKeys: [] },
);

const kinds = fc.constantFrom(GROUPS, IDENTITIES, ROLES, ASSOCIATIONS);

/** The reference implementation: the uid is within reach and matches every filter. */
function shows(tree: TreeShape, reach: Reach, query: RangeQuery, uid: string): boolean {
  const parent = tree.uidIsParent ? uid : parentOf(uid);
  const scope = tree.isScope ? uid : parent;
  const seen =
    "everything" in reach ||
    reach.scopes.some((one) => isWithin(uid, one)) ||
    (tree.rootsAreShared && !uid.includes("/"));
  const { ancestorsOf, descendantsOf, childrenOf, inRoot, ids = [] } = query;
  return (
    seen &&
    (ancestorsOf === undefined || (scope !== "" && isBelow(ancestorsOf, scope))) &&
    (descendantsOf === undefined || isWithin(parent, descendantsOf)) &&
    (childrenOf === undefined || parent === childrenOf) &&
    (!inRoot || parent === "") &&
    (ids.length === 0 || ids.includes(uid))
  );
}

function holds(tree: TreeShape, range: Range, uid: string): boolean {
  if ("everything" in range) return true;
  if ("uids" in range) return range.uids.includes(uid);
  if ("childrenOf" in range) return (tree.uidIsParent ? uid : parentOf(uid)) === range.childrenOf;
  return isBelow(uid, range.below) || ((range.self || tree.uidIsParent) && uid === range.below);
}

test("the ranges of a list have exactly the rows that it must show, each once", () => {
  const property = fc.property(kinds, reaches, filters, uids, (tree, reach, query, uid) => {
    // Roles are bound at groups only, never at an identity or a role.
    fc.pre(
      tree.isScope || tree.uidIsParent || "everything" in reach || !reach.scopes.includes(uid),
    );
    const ranges = rangesFor(tree, reach, create(UIDPFilterSchema, query));
    const holding = ranges.filter((range) => holds(tree, range, uid));
    const expected = shows(tree, reach, query, uid) ? 1 : 0;
    assert.equal(holding.length, expected, `${uid} is in ${JSON.stringify(holding)}`);
  });
  fc.assert(property, { seed: SEED, numRuns: 5_000 });
});

test("no filter and an empty filter are the same", () => {
  const property = fc.property(kinds, reaches, (tree, reach) => {
    const empty = rangesFor(tree, reach, create(UIDPFilterSchema));
    assert.deepEqual(empty, rangesFor(tree, reach, undefined));
  });
  fc.assert(property, { seed: SEED });
});

test("get and list agree on what can be seen", () => {
  const property = fc.property(kinds, reaches, uids, (tree, reach, uid) => {
    assert.equal(canSee(tree, reach, uid), shows(tree, reach, {}, uid));
  });
  fc.assert(property, { seed: SEED, numRuns: 1_000 });
});

test("many named rows become several ranges, each short enough for a statement", () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(40, "0"));
  const filter = create(UIDPFilterSchema, { ids: [...ids.slice(0, 900), ...ids.slice(0, 100)] });
  const ranges = rangesFor(GROUPS, { everything: true }, filter);
  const named = ranges.map((range) => ("uids" in range ? range.uids : []));
  assert.deepEqual(named.flat(), ids.slice(0, 900));
  assert.ok(named.every((list) => list.length <= 500));
});

test("an invalid UID is rejected with the name of its field", () => {
  const bad = ["x", "a".repeat(39), `${"a".repeat(40)}/`, `${"A".repeat(40)}`, "../", "%"];
  for (const field of ["ancestorsOf", "descendantsOf", "childrenOf"] as const) {
    for (const value of bad) {
      const filter = create(UIDPFilterSchema, { [field]: value });
      const message = `Invalid argument: uidp.${field}: ${field} must be a UID: 40 hexadecimal characters, or a path of IDs`;
      assert.throws(() => rangesFor(GROUPS, { everything: true }, filter), { message });
    }
  }
  const tooMany = { ids: Array.from({ length: 1_001 }, () => "a".repeat(40)) };
  for (const query of [{ ids: ["x"] }, { ids: [""] }, tooMany]) {
    const filter = create(UIDPFilterSchema, query);
    assert.throws(() => rangesFor(GROUPS, { everything: true }, filter), /uidp\.ids/);
  }
});
