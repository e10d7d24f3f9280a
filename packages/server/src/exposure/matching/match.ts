import type { JsonObject } from "@bufbuild/protobuf";
import { MatchedBy } from "@wharf/contract";
import type { VersionRow } from "../../store/tables/exposure/records/matches.ts";
import { readAffected } from "../orders/affected.ts";
import { orderOf } from "../orders/order-of.ts";
import { type Evaluation, evaluateAffected } from "../orders/ranges.ts";
import { matchRelease } from "../releases.ts";

/** The relation of a package version to a record, by its number in the store. Records that say nothing match nothing. */
export const MATCH_STATES = { affected: 1, notAffected: 2, unknown: 3 } as const;

export interface Match {
  readonly state: number;
  readonly matchedBy: MatchedBy;
  /** The next versions with a fix. */
  readonly fixed: readonly string[];
  readonly detail: MatchDetail;
}

/** Stored as JSON. */
export interface MatchDetail {
  readonly introduced?: string;
  /** Reasons for doubt, such as an unknown release. */
  readonly remarks?: readonly string[];
}

/** The parts of a record that versions are compared with. */
export interface ComparedRecord {
  readonly ecosystem: string;
  readonly release: string;
  readonly package: string;
  readonly affected: readonly JsonObject[];
}

/** Remark on a package of a distribution whose release is unknown: the record may be about another one. */
export const RELEASE_UNKNOWN = "release unknown";

/** Distributions with a record for each package that is affected, and those whose records name either. */
const BY_NAME: ReadonlySet<string> = new Set(["Chainguard", "MinimOS", "Wolfi"]);
const BY_EITHER: ReadonlySet<string> = new Set(["AlmaLinux", "Red Hat"]);

/** Whether records of an ecosystem apply to packages that were built from theirs only while those have none of their own. */
export function hasSubpackageRecords(ecosystem: string): boolean {
  return BY_NAME.has(ecosystem);
}

/**
 * Compares a package version with a record; undefined if the record is about another package or release, or if the version
 * is outside its ranges without being expressly not affected.
 */
export function match(
  version: Omit<VersionRow, "id" | "purl">,
  record: ComparedRecord,
): Match | undefined {
  if (version.ecosystem !== record.ecosystem) return undefined;
  const matchedBy = matchedName(version, record);
  if (matchedBy === undefined || isModular(version.version) !== isModularRecord(record)) {
    return undefined;
  }
  const release = matchRelease(record.release, version.ecosystem, releaseOf(version));
  if (release === "other") return undefined;
  const isOrigin = matchedBy === MatchedBy.ORIGIN;
  const compared = isOrigin ? version.originVersion || version.version : version.version;
  const found = evaluate(record, compared);
  if (found === undefined) return undefined;
  const isKnown = release === "same";
  // Other releases of the distribution may be affected.
  if (found.state === "not_affected" && !isKnown) return undefined;
  const remarks = [
    ...(isKnown ? [] : [RELEASE_UNKNOWN]),
    ...(found.state === "unknown" ? [found.reason] : []),
  ];
  return {
    state: STATES[found.state],
    matchedBy,
    fixed: found.fixed,
    detail: {
      ...(found.introduced !== undefined && { introduced: found.introduced }),
      ...(remarks.length > 0 && { remarks }),
    },
  };
}

const STATES = {
  affected: MATCH_STATES.affected,
  not_affected: MATCH_STATES.notAffected,
  unknown: MATCH_STATES.unknown,
} as const;

/** Most distributions write records about source packages. */
function matchedName(
  { ecosystem, name, origin }: Pick<VersionRow, "ecosystem" | "name" | "origin">,
  record: ComparedRecord,
): MatchedBy | undefined {
  const isName = name === record.package;
  const isOrigin = origin === record.package;
  const isByName = BY_NAME.has(ecosystem) || BY_EITHER.has(ecosystem) || origin === "";
  if (isName && isByName) return MatchedBy.NAME;
  return isOrigin && origin !== "" ? (isName ? MatchedBy.NAME : MatchedBy.ORIGIN) : undefined;
}

/** A build for a module of rpm: the fixes of other builds of the package are no fixes of it. */
function isModular(version: string): boolean {
  return /\.module[+_]/.test(version);
}

function isModularRecord({ affected }: ComparedRecord): boolean {
  const read = affected.map(readAffected);
  return read.some(({ ranges, versions }) => {
    return (
      versions.some(isModular) ||
      ranges.some(({ events }) => events.some((one) => isModular(one.version)))
    );
  });
}

function releaseOf({ ecosystem, release }: Pick<VersionRow, "ecosystem" | "release">) {
  if (release === "") return undefined;
  return release.includes(":") ? release : `${ecosystem}:${release}`;
}

/** The entries of a record are a union; it clears a version only if all of them do. */
function evaluate(
  { ecosystem, affected }: ComparedRecord,
  version: string,
): Evaluation | undefined {
  const order = orderOf(ecosystem);
  const found = affected.map((entry) => evaluateAffected(entry, version, order));
  const positive = found.filter(({ state }) => state === "affected");
  const deciding =
    positive.length > 0 ? positive : found.filter(({ state }) => state === "unknown");
  const [first] = deciding;
  if (first !== undefined) {
    return { ...first, fixed: [...new Set(deciding.flatMap(({ fixed }) => fixed))] };
  }
  const isCleared =
    found.length > 0 && found.every(({ reason }) => reason === "explicitly not affected");
  return isCleared ? found[0] : undefined;
}
