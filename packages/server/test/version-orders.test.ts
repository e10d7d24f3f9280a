import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { VersionOrder } from "../src/exposure/orders/order.ts";
import { orderOf } from "../src/exposure/orders/order-of.ts";
import { sharedData } from "./support/shared-data.ts";

/** The files of comparisons, and an ecosystem of each order. */
const ECOSYSTEMS: Readonly<Record<string, string>> = {
  alpine: "Alpine:v3.20",
  cran: "CRAN",
  debian: "Debian:12",
  hackage: "Hackage",
  maven: "Maven",
  nuget: "NuGet",
  packagist: "Packagist",
  pub: "Pub",
  pypi: "PyPI",
  redhat: "Red Hat:enterprise_linux:9::baseos",
  rubygems: "RubyGems",
  semver: "Go",
};

const EMPTY_NUMBER = "no version of apk: it has an empty number, and so no order";
const BOTH_INVALID = "apk calls both invalid and therefore equal; an update would look installed";
const PHP_SIGN = "no version of Composer: # means any number in PHP's version_compare only";
const BRANCH = "a branch may contain any version: Composer's constraints do not match it";
const NO_RELEASE = "no number at its beginning: neither PEP 440 nor any text near it";

/** Comparisons that an order decides otherwise than its file, with the reason. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alpine: {
    "0..1..0 < 0..1..1": EMPTY_NUMBER,
    "0...1...0 < 0...1...1": EMPTY_NUMBER,
    "0...1...0.r1 < 0...1...0.r2": EMPTY_NUMBER,
    "0...1...0r1 < 0...1...0r2": EMPTY_NUMBER,
    "0..8 > 0...8": EMPTY_NUMBER,
    "0.8.21.r2 > 0.8.21.r1": EMPTY_NUMBER,
    "1-r0-1 = 1-r-2": BOTH_INVALID,
    "1-r0-1 = 1-r0-2": BOTH_INVALID,
    "1-ruff2 = 1-ruff1": BOTH_INVALID,
    "1-ruff2 = 1--ruff1": BOTH_INVALID,
    "1-r0-ruff2 = 1-r0-ruff1": BOTH_INVALID,
  },
  packagist: {
    "1.0.0 > 1.0": "equal: Composer compares 1.0.0.0 with 1.0.0.0, unlike PHP's version_compare",
    "dev-foo < 1.26.0": BRANCH,
    "1.26.0 > dev-foo": BRANCH,
    "1.2.3.# = 1.2.3": PHP_SIGN,
    "1.2.3.# = 1.2.3.1": PHP_SIGN,
    "1.2.3.#.1 > 1.2.3": PHP_SIGN,
    "1.2.3.#.p3 > 1.2.3": PHP_SIGN,
    "1.2.3.#.beta < 1.2.3": PHP_SIGN,
  },
  pypi: {
    "-class.-jw.util.version.version-pre < 1.0": NO_RELEASE,
    "-class.-jw.util.version.version-preview < 1.0": NO_RELEASE,
    "-class.-jw.util.version.version-dev < 1.0": NO_RELEASE,
  },
};

for (const [file, ecosystem] of Object.entries(ECOSYSTEMS)) {
  test(`the order of ${ecosystem} is that of ${file}-versions.txt`, (context) => {
    const order = orderOf(ecosystem);
    assert.ok(order);
    const folder = sharedData(context, "vectors/versions");
    if (folder === undefined) return;
    const lines = linesOf(join(folder, `${file}-versions.txt`));
    const missed = lines.filter((line) => !agrees(order, line));
    context.diagnostic(`${order.name}: ${lines.length - missed.length} of ${lines.length}`);
    assert.deepEqual(new Set(missed), new Set(Object.keys(DIFFERENCES[file] ?? {})));
  });
}

function linesOf(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.map((line) => line.trim()).filter((line) => !/^(?:$|#|\/\/)/.test(line));
}

const SIGNS: Readonly<Record<string, number>> = { "<": -1, "=": 0, ">": 1 };

/** In both directions: an order is antisymmetric. */
function agrees(order: VersionOrder, line: string): boolean {
  const [one = "", sign = "", other = "", ...rest] = line.split(/\s+/);
  const expected = SIGNS[sign];
  assert.ok(expected !== undefined && rest.length === 0, `not a comparison: ${line}`);
  const forward = order.compare(one, other);
  const backward = order.compare(other, one);
  if (forward === undefined || backward === undefined) return false;
  return Math.sign(forward) === expected && Math.sign(backward) === 0 - expected;
}
