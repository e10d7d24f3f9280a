import { DecisionOrigin, FindingStatus } from "@wharf/contract";
import { MATCH_STATES } from "../matching/match.ts";
import { orderOf } from "../orders/order-of.ts";
import type { AssessedFinding, FindingDetail, FindingStatement } from "./finding.ts";
import type { KnownMatch } from "./knowledge.ts";
import type { Vulnerability } from "./vulnerabilities.ts";

/** A package version in an image, with the applicable matches of its own and those of the package that contains it. */
export interface MatchedVersion {
  readonly version: number;
  readonly matches: readonly KnownMatch[];
  readonly ofOwner: readonly KnownMatch[];
}

/** The facts about one image that its findings follow from. */
export interface ImageFacts {
  readonly versions: readonly MatchedVersion[];
  /** The vulnerabilities of a record; empty for those that are not to be assessed. */
  vulnerabilitiesOf(record: number): readonly Vulnerability[];
  /** Statements about a vulnerability in a package version, in the order of their authority. */
  statementsAbout(vulnerability: Vulnerability, version: number): readonly FindingStatement[];
}

const MAX_RECORDS = 10;
const MAX_STATEMENTS = 5;

/** The findings of an image: one for each vulnerability and package version. */
export function assess(image: ImageFacts): AssessedFinding[] {
  return image.versions.flatMap((version) => {
    const matches = byVulnerability(version.matches, image);
    const ofOwner = byVulnerability(version.ofOwner, image);
    return [...matches].flatMap(([vulnerability, found]) => {
      const clearances = [...found, ...(ofOwner.get(vulnerability) ?? [])].filter(isClearance);
      return assessOne(image, vulnerability, version.version, found, clearances) ?? [];
    });
  });
}

function byVulnerability(
  matches: readonly KnownMatch[],
  image: ImageFacts,
): Map<Vulnerability, KnownMatch[]> {
  const found = new Map<Vulnerability, KnownMatch[]>();
  for (const one of matches) {
    for (const vulnerability of image.vulnerabilitiesOf(one.record.id)) {
      const others = found.get(vulnerability);
      if (others === undefined) found.set(vulnerability, [one]);
      else others.push(one);
    }
  }
  return found;
}

function isClearance({ state }: KnownMatch): boolean {
  return state === MATCH_STATES.notAffected;
}

/**
 * The finding of a vulnerability in a package version; undefined if no record says that it may be affected. A record that
 * expressly clears the package, or the package of the distribution that contains it, precedes records of its own group and
 * of those above.
 */
function assessOne(
  image: ImageFacts,
  vulnerability: Vulnerability,
  version: number,
  found: readonly KnownMatch[],
  clearances: readonly KnownMatch[],
): AssessedFinding | undefined {
  const positive = found.filter((one) => !isClearance(one)).sort(compareMatches);
  const nearest = clearances.toSorted(compareMatches)[0];
  const depth = nearest?.record.group.length ?? -1;
  const remaining = positive.filter(({ record }) => record.group.length > depth);
  const deciding = remaining.length > 0 ? remaining : positive;
  const [first] = deciding;
  if (first === undefined) return undefined;
  const cleared = remaining.length === 0 && nearest !== undefined ? [clearance(nearest)] : [];
  const statements = [...image.statementsAbout(vulnerability, version), ...cleared];
  const ordered = statements.sort((a, b) => a.origin - b.origin);
  const decision = ordered.find(({ status }) => status !== 0);
  const others = ordered.filter((one) => one !== decision).slice(0, MAX_STATEMENTS);
  const isAffected = deciding.some(({ state }) => state === MATCH_STATES.affected);
  const detail = {
    ...basisOf(deciding, vulnerability),
    ...(decision && { decision }),
    ...(others.length > 0 && { others }),
  };
  return {
    vulnerability: vulnerability.name,
    version,
    status: decision?.status ?? (isAffected ? FindingStatus.AFFECTED : FindingStatus.UNKNOWN),
    severity: deciding[detail.rated ?? 0]?.record.severity ?? 0,
    fixable: detail.fixed !== undefined,
    detail,
  };
}

/** Order of matches: nearer groups first, affected before not comparable ones, then the most severe. */
function compareMatches(one: KnownMatch, other: KnownMatch): number {
  return (
    other.record.group.length - one.record.group.length ||
    one.state - other.state ||
    other.record.severity - one.record.severity ||
    one.record.id - other.record.id
  );
}

function clearance({ record }: KnownMatch): FindingStatement {
  return {
    origin: DecisionOrigin.SUPPLIER,
    status: FindingStatus.NOT_AFFECTED,
    author: record.detail.id,
    time: record.updated,
  };
}

function basisOf(
  matches: readonly KnownMatch[],
  { names }: Vulnerability,
): Omit<FindingDetail, "decision" | "others"> {
  const [first] = matches as [KnownMatch];
  const some = matches.slice(0, MAX_RECORDS);
  const rated = some.findIndex(({ record }) => record.severity > 0);
  const fixed = sorted(
    first.record.ecosystem,
    matches.flatMap((one) => one.fixed),
  );
  const remarks = [...new Set(matches.flatMap(({ detail }) => detail.remarks ?? []))];
  const { introduced } = first.detail;
  const score = some[rated]?.record.score ?? "";
  return {
    ...(names.length > 1 && { names }),
    records: some.map(({ record }) => [record.id, record.detail.id] as const),
    by: first.matchedBy,
    ...(introduced !== undefined && { introduced }),
    ...(fixed.length > 0 && { fixed }),
    ...(remarks.length > 0 && { remarks }),
    ...(score !== "" && { score }),
    ...(rated > 0 && { rated }),
  };
}

function sorted(ecosystem: string, versions: readonly string[]): string[] {
  const order = orderOf(ecosystem);
  return [...new Set(versions)].sort((a, b) => order?.compare(a, b) ?? 0);
}
