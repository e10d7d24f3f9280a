import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_VERSION_LENGTH, type VersionOrder } from "./order.ts";
import { orderOf } from "./order-of.ts";

/** Failures name the path below this seed. */
const SEED = { seed: 20_261, numRuns: 2_000 };

/** An ecosystem of each order, with pieces of its versions. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  Alpine: ["0", "1", "01", "10", "a", "p", ".1", ".01", "_rc", "_p", "_git", "~ab", "-r1", "-r"],
  CRAN: ["0", "1", "01", "10", ".1", "-1", ".0", "-0"],
  Debian: ["0", "1", "01", "10", "a", "~", "+", ".", "-", ":1", "~rc"],
  Go: ["0", "1", ".1", ".0", "-rc", "-1", ".a", "+incompatible", "rc1", "-0.2021"],
  Hackage: ["0", "1", "01", "10", ".1", ".0"],
  Maven: ["0", "1", "01", ".1", ".0", "-1", "-rc", "alpha", "sp", "-SNAPSHOT", "x", "ga"],
  NuGet: ["0", "1", ".1", ".0", "-A", "-a", ".b", "+x"],
  Packagist: ["0", "1", ".1", ".0", "-beta", "RC", "1", "pl", "-dev", "stable"],
  Pub: ["0", "1", ".1", ".0", "-rc", "-1", ".a", "+1", "+a"],
  PyPI: ["0", "1", ".1", ".0", "a1", "rc", ".post1", "-1", ".dev", "+a", ".2", "-other"],
  "Red Hat": ["0", "1", "01", ".", "a", "~", "^", "-", "-1", ".el8", ":"],
  RubyGems: ["0", "1", ".1", ".0", "a", ".a", ".0", "-x", "-java"],
};

const orders = Object.keys(PIECES).map((ecosystem) => {
  const pieces = fc.constantFrom(...(PIECES[ecosystem] as readonly string[]));
  const versions = fc
    .tuple(fc.constantFrom("1", "1.0", "1.10"), fc.array(pieces, { maxLength: 4 }))
    .map(([head, rest]) => head + rest.join(""));
  return { order: orderOf(ecosystem) as VersionOrder, versions };
});

const signOf = (order: VersionOrder, one: string, other: string) => {
  const position = order.compare(one, other);
  return position === undefined ? undefined : Math.sign(position);
};

for (const { order, versions } of orders) {
  test(`${order.name}: antisymmetric, and every version equals itself`, () => {
    let comparable = 0;
    const property = fc.property(versions, versions, (one, other) => {
      const forward = signOf(order, one, other);
      const backward = signOf(order, other, one);
      if (forward !== undefined) comparable++;
      assert.equal(forward, backward === undefined ? undefined : 0 - backward);
      assert.equal(order.compare(one, one), 0);
    });
    fc.assert(property, SEED);
    assert.ok(comparable > SEED.numRuns / 10, `only ${comparable} are comparable`);
  });

  test(`${order.name}: transitive`, () => {
    let comparable = 0;
    const property = fc.property(versions, versions, versions, (...three) => {
      const [a, b, c] = three;
      const [ab, bc, ac] = [signOf(order, a, b), signOf(order, b, c), signOf(order, a, c)];
      if (ab === undefined || bc === undefined || ac === undefined) return;
      comparable++;
      if (ab <= 0 && bc <= 0) assert.equal(ac, Math.min(ab, bc), three.join(" ≤ "));
    });
    fc.assert(property, SEED);
    assert.ok(comparable > SEED.numRuns / 10, `only ${comparable} are comparable`);
  });

  test(`${order.name}: texts of any kind never throw`, () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), versions, fc.constant("constructor"));
    const property = fc.property(texts, texts, (one, other) => {
      const position = order.compare(one, other);
      assert.ok(position === undefined || !Number.isNaN(position));
      order.compare(`1${one}`, `1${other}`);
    });
    fc.assert(property, SEED);
  });

  test(`${order.name}: numbers have any length, versions do not`, () => {
    const digits = "9".repeat(MAX_VERSION_LENGTH - 1);
    assert.equal(signOf(order, digits, `1${digits}`), -1);
    assert.equal(signOf(order, `${digits}8`, `${digits}9`), -1);
    assert.equal(order.compare(`${digits}88`, `${digits}99`), undefined);
    assert.equal(order.compare(`${digits}99`, `${digits}99`), 0);
  });
}
