import type { JsonObject } from "@bufbuild/protobuf";
import { isObject, objectsIn } from "../../lib/json-values.ts";

/** A position in the versions of a package, of an OSV record. */
export interface RangeEvent {
  readonly kind: EventKind;
  readonly version: string;
}

const KINDS = ["introduced", "fixed", "last_affected", "limit"] as const;

type EventKind = (typeof KINDS)[number];

export interface VersionRange {
  /** Versions of SEMVER ranges are semantic in every ecosystem. */
  readonly isSemantic: boolean;
  /** In the order of the record. */
  readonly events: readonly RangeEvent[];
  readonly limits: readonly string[];
}

/** The affected versions of a package: https://ossf.github.io/osv-schema/#affected-fields. */
export interface AffectedVersions {
  readonly ranges: readonly VersionRange[];
  /** Affected versions outside the ranges. */
  readonly versions: readonly string[];
  /** Versions with a fix, although they are in a range: OSV cannot express them. Records of Wharf have them. */
  readonly patched: readonly string[];
}

/**
 * Reads an entry of `affected`, as it is stored: members of another type than that of the schema are ignored, except
 * for versions that YAML made numbers. Commits are not versions, so ranges of type GIT do not apply to packages.
 */
export function readAffected(entry: JsonObject): AffectedVersions {
  const ranges = objectsIn(entry.ranges).filter(({ type }) => type !== "GIT");
  const specific = entry.ecosystem_specific;
  return {
    ranges: ranges.map(readRange).filter(({ events }) => events.some(isIntroduction)),
    versions: versionsIn(entry.versions),
    patched: isObject(specific) ? versionsIn(specific.patched_versions) : [],
  };
}

/** The schema requires one in each range: a range without tells nothing. */
function isIntroduction({ kind }: RangeEvent): boolean {
  return kind === "introduced";
}

function readRange({ type, events }: Readonly<Record<string, unknown>>): VersionRange {
  const all = objectsIn(events).flatMap((event) =>
    KINDS.flatMap((kind) => versionsIn([event[kind]]).map((version) => ({ kind, version }))),
  );
  return {
    isSemantic: type === "SEMVER",
    events: all.filter(({ kind }) => kind !== "limit"),
    limits: all.filter(({ kind }) => kind === "limit").map(({ version }) => version),
  };
}

function versionsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((item) => typeof item === "string" || typeof item === "number")
    .map(String)
    .filter((item) => item !== "");
}
