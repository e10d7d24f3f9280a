import { timestampMs } from "@bufbuild/protobuf/wkt";
import { isPackageUrl } from "@wharf/advisories/package-url";
import {
  FindingSeverity,
  FindingStatus,
  type ListFindingsRequest,
  type ListFoundVulnerabilitiesRequest,
} from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type FindingFilter,
  namesBeside,
} from "../../store/tables/exposure/findings/finding-list.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import type { PackageFilter } from "../../store/tables/exposure/packages/named-packages.ts";
import { MILLION } from "../../store/tables/exposure/sources/facts.ts";
import { OPEN_STATUSES } from "../assessment/finding.ts";
import { canonicalName } from "../names.ts";
import { installedPackage } from "../purl.ts";

export const ALL_STATUSES: readonly FindingStatus[] = [
  ...OPEN_STATUSES,
  FindingStatus.NOT_AFFECTED,
  FindingStatus.FIXED,
  FindingStatus.ACCEPTED,
];

/** The conditions of a list request, within the repos that its caller may see. */
export async function readFilter(
  reader: Reader,
  request: ListFindingsRequest | ListFoundVulnerabilitiesRequest,
  intervals: readonly RepoInterval[],
  now: number,
): Promise<FindingFilter> {
  const { repoUid, digest, tag, vulnerabilities, severities, fixable, inUse } = request;
  const { knownExploited, minExploitProbability, firstSeenSince, resolvedSince } = request;
  // NaN is no probability either.
  if (!(minExploitProbability >= 0 && minExploitProbability <= 1)) {
    const description = "minExploitProbability must be from 0 to 1";
    throw invalidArgument({ field: "minExploitProbability", description });
  }
  mustBeKnown("severities", severities, FindingSeverity);
  mustBeKnown("statuses", request.statuses, FindingStatus);
  return {
    ...{ intervals, now },
    statuses: request.statuses.length === 0 ? OPEN_STATUSES : request.statuses,
    ...(repoUid !== "" && { repo: repoUid }),
    ...(digest !== "" && { digest }),
    ...(tag !== "" && { tag }),
    ...(vulnerabilities.length > 0 && { names: await readNames(reader, vulnerabilities) }),
    ...(request.package !== "" && { package: readPackage(request.package) }),
    ...(severities.length > 0 && { severities }),
    ...(fixable !== undefined && { fixable }),
    ...(inUse !== undefined && { inUse }),
    ...(knownExploited !== undefined && { exploited: knownExploited }),
    ...(minExploitProbability > 0 && {
      minProbability: Math.ceil(minExploitProbability * MILLION),
    }),
    ...(firstSeenSince !== undefined && { firstSeenSince: timestampMs(firstSeenSince) }),
    ...(resolvedSince !== undefined && { resolvedSince: timestampMs(resolvedSince) }),
  };
}

export function mustBeKnown(
  field: string,
  values: readonly number[],
  known: Readonly<Record<number, unknown>>,
): void {
  const unknown = values.find((value) => value === 0 || !(value in known));
  if (unknown === undefined) return;
  throw invalidArgument({ field, description: `${field} must have known values, not ${unknown}` });
}

export async function readNames(reader: Reader, asked: readonly string[]) {
  return { asked, all: await namesBeside(reader, asked) };
}

/** Ecosystems with names that are stored in another form than people write them. */
const RENAMING = ["PyPI", "NuGet", "Packagist"];

/** The package of a filter: its name, or a package URL without qualifiers, which SBOMs write in many ways. */
export function readPackage(text: string): PackageFilter {
  if (!text.startsWith("pkg:")) {
    const names = RENAMING.map((one) => [one, canonicalName(one, text)] as const);
    return { name: text, canonical: names.filter(([, name]) => name !== text) };
  }
  const found = isPackageUrl(text) ? installedPackage(text) : undefined;
  if (found === undefined) {
    const description = `${JSON.stringify(text)} is not a package URL`;
    throw invalidArgument({ field: "package", description });
  }
  const { name, ecosystem, version } = found;
  return { purl: text.replace(/[?#].*$/s, ""), name, ecosystem, version };
}
