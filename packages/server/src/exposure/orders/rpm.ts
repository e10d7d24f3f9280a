import {
  compareDigits,
  compareLists,
  compareText,
  endFirst,
  isDigits,
  versionOrder,
} from "./order.ts";

interface RpmVersion {
  readonly epoch: readonly string[];
  readonly version: readonly string[];
  readonly release: readonly string[] | undefined;
}

/**
 * The epoch ends at the first colon, the release begins after the last hyphen. An epoch that is no number is compared
 * as a version is.
 */
function parse(text: string): RpmVersion | undefined {
  if (text === "") return undefined;
  const colon = text.indexOf(":");
  const rest = text.slice(colon + 1);
  const hyphen = rest.lastIndexOf("-");
  return {
    epoch: segmentsOf(colon === -1 ? "0" : text.slice(0, colon)),
    version: segmentsOf(hyphen === -1 ? rest : rest.slice(0, hyphen)),
    release: hyphen === -1 ? undefined : segmentsOf(rest.slice(hyphen + 1)),
  };
}

/** Anything else separates. */
function segmentsOf(text: string): readonly string[] {
  return text.match(/[~^]|\d+|[A-Za-z]+/g) ?? [];
}

function compareSegments(one: readonly string[], other: readonly string[]): number {
  return compareLists(one, other, compareSegment);
}

/** A tilde precedes the end, which precedes a caret, which precedes words, which precede numbers. */
function compareSegment(one: string | undefined, other: string | undefined): number {
  const order = rank(one) - rank(other);
  if (order !== 0 || one === undefined || other === undefined) return order;
  return isDigits(one) ? compareDigits(one, other) : compareText(one, other);
}

function rank(segment: string | undefined): number {
  if (segment === undefined) return 1;
  if (segment === "~") return 0;
  if (segment === "^") return 2;
  return isDigits(segment) ? 4 : 3;
}

/** A version without release precedes all its releases. */
const compareReleases = endFirst(compareSegments);

/** Red Hat, SUSE and others: the order of rpm, which gives every text a meaning. */
export const rpm = versionOrder(
  "rpm",
  parse,
  (one, other) =>
    compareSegments(one.epoch, other.epoch) ||
    compareSegments(one.version, other.version) ||
    compareReleases(one.release, other.release),
);
