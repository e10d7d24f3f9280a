import type { JsonObject } from "@bufbuild/protobuf";
import {
  type AffectedVersions,
  type RangeEvent,
  readAffected,
  type VersionRange,
} from "./affected.ts";
import type { VersionOrder } from "./order.ts";
import { semver } from "./semver.ts";

/** Reason of an evaluation, for users. */
export type RangeReason =
  | "listed version"
  | "in range"
  | "patched version"
  | "explicitly not affected"
  | "outside all ranges"
  | "version not comparable"
  | "versions of the ecosystem not comparable"
  | "no versions in the record";

/** The relation of a version of a package to an entry of `affected`. */
export interface Evaluation {
  readonly state: "affected" | "not_affected" | "unknown";
  readonly reason: RangeReason;
  /** The next versions with the fix; of an unknown state, all versions with a fix. */
  readonly fixed: readonly string[];
  /** The version that begins the range of an affected version. */
  readonly introduced?: string;
}

/** Begins all versions, and is no version itself. */
const FIRST = "0";

/**
 * Evaluates a version by an entry of `affected`. Ranges and listed versions are a union. A version that cannot be
 * compared is affected if it is listed, or if all versions are; otherwise its state is unknown.
 */
export function evaluateAffected(
  affected: JsonObject,
  version: string,
  order: VersionOrder | undefined,
): Evaluation {
  const entry = readAffected(affected);
  if (contains(entry.patched, version, order)) return notAffected("patched version");
  const found = entry.ranges.map((range) => evaluateRange(range, version, order));
  const inRanges = found.filter(({ state }) => state === "affected");
  const [first] = inRanges;
  if (first !== undefined) return { ...first, fixed: union(inRanges) };
  if (contains(entry.versions, version, order)) {
    return { state: "affected", reason: "listed version", fixed: union(found) };
  }
  if (isClearance(entry)) return notAffected("explicitly not affected");
  const unknown =
    found.find(({ state }) => state === "unknown") ?? unknownList(entry, version, order);
  return unknown === undefined
    ? notAffected("outside all ranges")
    : { ...unknown, fixed: union(found) };
}

function notAffected(reason: RangeReason): Evaluation {
  return { state: "not_affected", reason, fixed: [] };
}

function union(found: readonly Evaluation[]): readonly string[] {
  return [...new Set(found.flatMap(({ fixed }) => fixed))];
}

/** Texts first: most lists have the version as it is written, and comparing takes longer. */
function contains(
  versions: readonly string[],
  version: string,
  order: VersionOrder | undefined,
): boolean {
  return (
    versions.includes(version) || versions.some((other) => order?.compare(other, version) === 0)
  );
}

/** A record that says in a range without versions that the package is not affected. */
function isClearance({ ranges, versions }: AffectedVersions): boolean {
  return ranges.length > 0 && versions.length === 0 && ranges.every(isEmpty);
}

function isEmpty({ events }: VersionRange): boolean {
  const has = (kind: RangeEvent["kind"]) => events.some((event) => event.kind === kind);
  return events.every((event) => event.version === FIRST) && has("introduced") && has("fixed");
}

/** The reason for which an absent version may be one of the list in another notation. */
function unknownList(
  { ranges, versions }: AffectedVersions,
  version: string,
  order: VersionOrder | undefined,
): Evaluation | undefined {
  if (versions.length === 0) {
    return ranges.length === 0 ? unknown("no versions in the record") : undefined;
  }
  if (order === undefined) return unknown(NO_ORDER);
  const isComparable = versions.some((other) => order.compare(other, version) !== undefined);
  return isComparable ? undefined : unknown("version not comparable");
}

const NO_ORDER = "versions of the ecosystem not comparable";

function unknown(reason: RangeReason, fixed: readonly string[] = []): Evaluation {
  return { state: "unknown", reason, fixed };
}

/** The last event at or before the version decides. */
function evaluateRange(
  range: VersionRange,
  version: string,
  ofEcosystem: VersionOrder | undefined,
): Evaluation {
  const order = range.isSemantic ? semver : ofEcosystem;
  const fixes = range.events
    .filter(({ kind, version }) => kind === "fixed" && version !== FIRST)
    .map((event) => event.version);
  const last = lastReached(range, version, order);
  const isLimited = beyondLimits(range, version, order);
  if (last === "incomparable" || isLimited === undefined) {
    return unknown(order === undefined ? NO_ORDER : "version not comparable", fixes);
  }
  const fixed = nextOf(fixes, version, order);
  if (last?.kind !== "introduced" || isLimited) {
    return { state: "not_affected", reason: "outside all ranges", fixed };
  }
  return { state: "affected", reason: "in range", fixed, introduced: last.version };
}

/** The greatest event that a version has reached; of equal ones, the last of the record. */
function lastReached(
  { events }: VersionRange,
  version: string,
  order: VersionOrder | undefined,
): RangeEvent | undefined | "incomparable" {
  let last: RangeEvent | undefined;
  for (const event of events) {
    const passed = isFirst(event) ? 1 : order?.compare(version, event.version);
    if (passed === undefined) return "incomparable";
    if (event.kind === "last_affected" ? passed <= 0 : passed < 0) continue;
    const after = last === undefined ? 1 : comparePositions(event, last, order);
    if (after === undefined) return "incomparable";
    if (after >= 0) last = event;
  }
  return last;
}

function isFirst({ kind, version }: RangeEvent): boolean {
  return version === FIRST && kind !== "last_affected";
}

/** The first position introduces before it fixes; a last affected version ends after its version begins. */
function comparePositions(
  one: RangeEvent,
  other: RangeEvent,
  order: VersionOrder | undefined,
): number | undefined {
  if (isFirst(one) || isFirst(other)) {
    return (
      Number(isFirst(other)) - Number(isFirst(one)) ||
      Number(one.kind === "fixed") - Number(other.kind === "fixed")
    );
  }
  const versions = order?.compare(one.version, other.version);
  if (versions !== 0) return versions;
  return Number(one.kind === "last_affected") - Number(other.kind === "last_affected");
}

/** Whether a version is not before any of the limits; undefined if that cannot be compared. */
function beyondLimits(
  { limits }: VersionRange,
  version: string,
  order: VersionOrder | undefined,
): boolean | undefined {
  if (limits.length === 0 || limits.includes("*")) return false;
  const before = limits.map((limit) => order?.compare(version, limit));
  if (before.some((position) => position !== undefined && position < 0)) return false;
  return before.includes(undefined) ? undefined : true;
}

/** The smallest version after another one, as a list. */
function nextOf(
  versions: readonly string[],
  version: string,
  order: VersionOrder | undefined,
): readonly string[] {
  const compare = (one: string, other: string) => order?.compare(one, other) ?? 0;
  const later = versions.filter((other) => compare(other, version) > 0);
  const [first, ...others] = later;
  if (first === undefined) return [];
  return [others.reduce((least, other) => (compare(other, least) < 0 ? other : least), first)];
}
