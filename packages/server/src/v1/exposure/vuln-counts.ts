import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { vulnerabilitiesV1 } from "@wharf/contract/v1";
import type { ListDeps } from "../../engine/list/lists.ts";
import { reposOf } from "../../exposure/findings/scope.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { reportedSeverity } from "./severities.ts";
import { type OpenVulnerability, tagDays } from "./tag-days.ts";
import { findTags, readDays } from "./tag-references.ts";

const { Vulnerability_Severity: Severity, Vulnerabilities } = vulnerabilitiesV1;

const RANGE = { from: "from", to: "to" };

/** Open vulnerabilities of tags by day. */
export function vulnCountMethods(deps: ListDeps): AdaptedMethod[] {
  const { listVulnCountReports, listCumulativeVulnCountReports } = Vulnerabilities.method;
  return [
    respondWith(listVulnCountReports, {}, (filter, call) => countReports(deps, filter, call)),
    respondWith(listCumulativeVulnCountReports, {}, (filter, call) =>
      countReports(deps, filter, call, new Map()),
    ),
  ];
}

/** @param cumulated the vulnerabilities of all earlier days, where they count for later ones */
async function countReports(
  { store, catalog }: ListDeps,
  filter: vulnerabilitiesV1.VulnCountReportFilter,
  call: Call,
  cumulated?: Map<string, Map<string, OpenVulnerability>>,
) {
  const days = readDays(filter.from, filter.to, RANGE, call.time);
  const reader = store.readerFor(call);
  const costly = reader.costly ?? reader;
  const tags = await findTags(reader, reposOf(catalog, call, undefined), referencesOf(filter));
  const items = [];
  for (const found of tags) {
    const { uid, repo, tag } = found;
    const sizes = new Map<string, bigint>();
    for (const one of await tagDays(costly, found, days, call.time, { acceptedIsOpen: false })) {
      const { day, digest } = one;
      const size =
        sizes.get(digest) ?? BigInt((await findManifest(reader, uid, digest))?.size ?? 0);
      sizes.set(digest, size);
      const open = cumulated === undefined ? one.open : mergedInto(cumulated, uid + tag, one.open);
      items.push({
        ...{ repo, tag, sizeBytes: size, date: timestampFromMs(day) },
        ...countsOf([...open.values()]),
      });
    }
  }
  return { items };
}

function referencesOf({ references, repo, tag }: vulnerabilitiesV1.VulnCountReportFilter) {
  const named = references.length > 0 ? references : [{ repo, tag }];
  if (named.some((one) => one.repo === "")) {
    const field = references.length > 0 ? "references" : "repo";
    throw invalidArgument({ field, description: "repo is required" });
  }
  return named;
}

function mergedInto(
  cumulated: Map<string, Map<string, OpenVulnerability>>,
  key: string,
  open: ReadonlyMap<string, OpenVulnerability>,
): ReadonlyMap<string, OpenVulnerability> {
  const all = cumulated.get(key) ?? new Map<string, OpenVulnerability>();
  for (const [name, one] of open) all.set(name, one);
  cumulated.set(key, all);
  return all;
}

function countsOf(open: readonly OpenVulnerability[]) {
  const names = (severity: vulnerabilitiesV1.Vulnerability_Severity) =>
    open
      .filter((one) => reportedSeverity(one.severity) === severity)
      .map(({ vulnerability }) => vulnerability)
      .sort();
  const bySeverity = {
    lowCveIds: names(Severity.LOW),
    medCveIds: names(Severity.MEDIUM),
    highCveIds: names(Severity.HIGH),
    critCveIds: names(Severity.CRITICAL),
    negligibleCveIds: names(Severity.NEGLIGIBLE),
    unknownCveIds: names(Severity.UNKNOWN),
  };
  const counted = [
    Severity.CRITICAL,
    Severity.HIGH,
    Severity.MEDIUM,
    Severity.LOW,
    Severity.NEGLIGIBLE,
    Severity.UNKNOWN,
  ];
  return {
    vulnCounts: counted
      .map((severity) => ({ severity, count: names(severity).length }))
      .filter(({ count }) => count > 0),
    cveIds: open.map(({ vulnerability }) => vulnerability).sort(),
    ...bySeverity,
  };
}
