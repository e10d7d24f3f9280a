import type {
  ExposureDayJson,
  FindingJson,
  FindingSeverityJson,
  FindingStatusJson,
  ListFindingsRequestJson,
  SeverityCountJson,
} from "@wharf/contract/messages";
import type { ListSearch } from "../../app/location.ts";
import { exposureTexts, SEVERITY_NAMES } from "../../texts/exposure.ts";
import type { Series } from "../../ui/chart-scale.ts";
import { chosenValues } from "../../ui/chip-values.ts";
import type { Chip } from "../../ui/chips.tsx";

/** Severities that findings can be filtered by, the worst first. */
const FILTERABLE = ["critical", "high", "medium", "low", "negligible"] as const;

/** Statuses of findings that a statement suppresses. */
export const SUPPRESSED: readonly FindingStatusJson[] = [
  "FINDING_STATUS_NOT_AFFECTED",
  "FINDING_STATUS_FIXED",
  "FINDING_STATUS_ACCEPTED",
];

export const ALL_STATUSES: readonly FindingStatusJson[] = [
  "FINDING_STATUS_AFFECTED",
  "FINDING_STATUS_UNKNOWN",
  ...SUPPRESSED,
];

/** EPSS scores from here on count as likely. */
const LIKELY = 0.1;

/** @example severityOf("critical") // "FINDING_SEVERITY_CRITICAL" */
export function severityOf(name: string): FindingSeverityJson {
  return `FINDING_SEVERITY_${name.toUpperCase()}` as FindingSeverityJson;
}

const { filters } = exposureTexts;

/** Filters of findings that are on or off. */
export const CHIPS: readonly Chip[] = [
  ...FILTERABLE.map((value) => ({
    name: "severity",
    value,
    label: SEVERITY_NAMES[severityOf(value)],
  })),
  { name: "fixable", value: "true", label: filters.fixable },
  { name: "exploited", value: "true", label: filters.exploited },
  { name: "likely", value: "true", label: filters.likely },
  { name: "status", value: "suppressed", label: filters.suppressed },
];

/** The filter of images in use, which lists of one image do not need. */
export const IN_USE_CHIP: Chip = { name: "used", value: "true", label: filters.inUse };

type Filters = Pick<
  ListFindingsRequestJson,
  | "severities"
  | "statuses"
  | "fixable"
  | "inUse"
  | "knownExploited"
  | "minExploitProbability"
  | "package"
>;

/** The conditions of a list of findings that follow from the URL; unknown values are ignored. */
export function filtersOf(search: ListSearch): Filters {
  const severities = chosenValues(search.severity).filter((one) =>
    (FILTERABLE as readonly string[]).includes(one),
  );
  const name = String(search.package ?? "").trim();
  return {
    ...(severities.length > 0 && { severities: severities.map(severityOf) }),
    ...(search.status === "suppressed" && { statuses: [...SUPPRESSED] }),
    ...(search.fixable === "true" && { fixable: true }),
    ...(search.used === "true" && { inUse: true }),
    ...(search.exploited === "true" && { knownExploited: true }),
    ...(search.likely === "true" && { minExploitProbability: LIKELY }),
    ...(name !== "" && { package: name }),
  };
}

/** The counts of a severity; zeros if there are none. */
export function countsOf(counts: readonly SeverityCountJson[] | undefined, name: string) {
  const found = counts?.find(({ severity }) => severity === severityOf(name));
  return { open: Number(found?.open ?? 0), fixable: Number(found?.fixable ?? 0) };
}

/** All open findings of an image. */
export function openOf(counts: readonly SeverityCountJson[] = []): number {
  return counts.reduce((sum, { open }) => sum + Number(open ?? 0), 0);
}

const LOW: readonly FindingSeverityJson[] = [
  "FINDING_SEVERITY_LOW",
  "FINDING_SEVERITY_NEGLIGIBLE",
  "FINDING_SEVERITY_UNSPECIFIED",
];

const LINES: readonly [
  tone: Series["tone"],
  name: string,
  severities: readonly FindingSeverityJson[],
][] = [
  ["bad", SEVERITY_NAMES.FINDING_SEVERITY_CRITICAL, ["FINDING_SEVERITY_CRITICAL"]],
  ["warn", SEVERITY_NAMES.FINDING_SEVERITY_HIGH, ["FINDING_SEVERITY_HIGH"]],
  ["accent", SEVERITY_NAMES.FINDING_SEVERITY_MEDIUM, ["FINDING_SEVERITY_MEDIUM"]],
  ["soft", exposureTexts.lowOrNone, LOW],
];

/** The open findings of each day by severity, for a chart. */
export function seriesOf(days: readonly ExposureDayJson[]): Series[] {
  return LINES.map(([tone, name, severities]) => ({
    name,
    tone,
    values: days.map((day) =>
      (day.severities ?? [])
        .filter(({ severity = "FINDING_SEVERITY_UNSPECIFIED" }) => severities.includes(severity))
        .reduce((sum, { open }) => sum + Number(open ?? 0), 0),
    ),
  }));
}

/** The name of an image for people: its repository with its first tag, or a part of its digest. */
export function imageName({ repoPath = "", tags = [], digest = "" }: FindingJson): string {
  return tags[0] === undefined ? `${repoPath}@${digest.slice(0, 19)}` : `${repoPath}:${tags[0]}`;
}

/** The key of a finding in a list. */
export function findingKey(one: FindingJson): string {
  return [one.repoUid, one.digest, one.vulnerability, one.package?.purl].join(" ");
}
