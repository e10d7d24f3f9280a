import { compareDigits, compareLists, compareNumbers, isDigits, versionOrder } from "./order.ts";

interface ComposerVersion {
  readonly numbers: readonly string[];
  /** Words of RANKS, and numbers. */
  readonly rest: readonly string[];
}

/** The ranks of words. The end of a version is before numbers, which are before patches. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ["dev", 0],
  ["alpha", 1],
  ["a", 1],
  ["beta", 2],
  ["b", 2],
  ["rc", 3],
  ["stable", 4],
  ["patch", 6],
  ["pl", 6],
  ["p", 6],
]);
const END = 4;
const NUMBER = 5;

/** Metadata of builds, after the plus sign, is no part of the order. */
const VERSION = /^v?(\d+(?:\.\d+)*)([\w.-]*)(?:\+[\w.+-]*)?$/;

/**
 * `1.0` equals `1.0.0`, as in Composer; the order of the rest is that of PHP's version_compare. Branches (`dev-main`,
 * `2.x-dev`) cannot be compared: Composer's constraints do not match them either.
 */
function parse(text: string): ComposerVersion | undefined {
  const found = VERSION.exec(text.toLowerCase());
  if (found === null) return undefined;
  const [, numbers = "", after = ""] = found;
  const rest = after.match(/\d+|[a-z]+/g) ?? [];
  const isUnderstood = rest.every((part) => isDigits(part) || RANKS.has(part));
  return isUnderstood ? { numbers: numbers.split("."), rest } : undefined;
}

function comparePart(one: string | undefined, other: string | undefined): number {
  const order = rankOf(one) - rankOf(other);
  if (order !== 0 || one === undefined || other === undefined) return order;
  return isDigits(one) ? compareDigits(one, other) : 0;
}

function rankOf(part: string | undefined): number {
  return part === undefined ? END : (RANKS.get(part) ?? NUMBER);
}

/** Packagist. */
export const packagist = versionOrder(
  "packagist",
  parse,
  (one, other) =>
    compareNumbers(one.numbers, other.numbers) || compareLists(one.rest, other.rest, comparePart),
);
