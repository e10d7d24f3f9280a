import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ancestorsOf,
  type Finding,
  FindingStatus,
  InventoryState,
  type ScannedVulnerability as Message,
  type ScanComparison,
  ScanComparisonSchema,
  ScannedVulnerabilitySchema,
} from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { readFindings } from "../../store/tables/exposure/findings/finding-list.ts";
import type { ScanReportHead } from "../../store/tables/exposure/findings/scan-reports.ts";
import { findImage } from "../../store/tables/exposure/images/images.ts";
import { packagesOfImage } from "../../store/tables/exposure/packages/image-packages-list.ts";
import { namesBeside } from "../../store/tables/exposure/records/record-names.ts";
import { OPEN_STATUSES } from "../assessment/finding.ts";
import { findingsOf } from "../findings/list-findings.ts";
import { ALL_STATUSES } from "../findings/read-filter.ts";
import { onlyRepo } from "../findings/scope.ts";
import { toScanReport } from "./messages.ts";
import { type ScannedVulnerability, vulnerabilitiesOf } from "./scanned.ts";

/** Findings and packages of one image: several times the most that base images have. */
const MAX_ROWS = 100_000;

const BY_SEVERITY = { column: "severity", descending: true } as const;

/** The packages and findings of an image on this server. */
interface ImageFacts {
  /** Whether the packages are known. */
  readonly hasPackages: boolean;
  /** Packages by `keysOf`. */
  readonly packages: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  /** Other names of vulnerabilities, by the records that apply to the image. */
  readonly aliases: ReadonlyMap<string, readonly string[]>;
}

/** Compares a report with the findings: by package, and by any name that either has for the vulnerability. */
export async function compareReport(
  reader: Reader,
  report: ScanReportHead,
  now: number,
): Promise<ScanComparison> {
  const scanned = vulnerabilitiesOf(report);
  const facts = await readFacts(reader, report, scanned, now);
  const pairs = scanned.map((one) => [one, counterpart(one, facts)] as const);
  const isOpen = (finding: Finding | undefined) =>
    finding !== undefined && OPEN_STATUSES.includes(finding.status);
  const matched = new Set(pairs.map(([, finding]) => finding));
  const service = facts.findings.filter((one) => isOpen(one) && !matched.has(one));
  return create(ScanComparisonSchema, {
    report: toScanReport(report),
    both: pairs.filter(([, own]) => isOpen(own)).map(([one, own]) => ofScanner(one, own, "")),
    scannerOnly: pairs
      .filter(([, own]) => !isOpen(own))
      .map(([one, own]) => ofScanner(one, own, whyNotOurs(one, own, facts))),
    serviceOnly: service.map((finding) => ofService(finding, whyNotTheirs(finding, report))),
  });
}

async function readFacts(
  reader: Reader,
  { repo, digest }: ScanReportHead,
  scanned: readonly ScannedVulnerability[],
  now: number,
): Promise<ImageFacts> {
  const image = await findImage(reader, repo, digest);
  const scope = { intervals: onlyRepo(repo), repo, digest, statuses: ALL_STATUSES, now };
  const rows = await readFindings(reader, scope, { order: BY_SEVERITY, limit: MAX_ROWS });
  const packages =
    image === undefined
      ? []
      : await packagesOfImage(reader, image.id, { text: "", limit: MAX_ROWS });
  const names = [...new Set(scanned.flatMap(({ id, aliases }) => [id, ...aliases]))];
  const beside = await namesBeside(reader, names, { scope: repo, above: ancestorsOf(repo) });
  const byRecord = Map.groupBy(beside, ({ record }) => record);
  const aliases = new Map<string, string[]>();
  for (const same of byRecord.values()) {
    for (const { name } of same) {
      const others = aliases.get(name) ?? [];
      others.push(...same.map((one) => one.name));
      aliases.set(name, others);
    }
  }
  return {
    hasPackages: image?.state === InventoryState.KNOWN,
    packages: new Set(packages.flatMap(keysOf)),
    findings: await findingsOf(reader, rows),
    aliases,
  };
}

interface Identified {
  readonly purl: string;
  readonly name: string;
  readonly version: string;
}

/** A package is the same by its package URL without qualifiers, or by name and version. */
function keysOf({ purl, name, version }: Identified): string[] {
  const url = purl.replace(/[?#].*$/s, "");
  return [...(url === "" ? [] : [url]), `${name}@${version}`];
}

function namesOf({ id, aliases }: ScannedVulnerability, facts: ImageFacts): ReadonlySet<string> {
  const own = [id, ...aliases];
  return new Set([...own, ...own.flatMap((name) => facts.aliases.get(name) ?? [])]);
}

function counterpart(one: ScannedVulnerability, facts: ImageFacts): Finding | undefined {
  const names = namesOf(one, facts);
  const keys = new Set(keysOf(one));
  return facts.findings.find(
    ({ vulnerability, aliases, package: own }) =>
      own !== undefined &&
      keysOf(own).some((key) => keys.has(key)) &&
      [vulnerability, ...aliases].some((name) => names.has(name)),
  );
}

function whyNotOurs(
  one: ScannedVulnerability,
  own: Finding | undefined,
  facts: ImageFacts,
): string {
  if (own !== undefined) {
    const { reason = "", justification = "" } = own.decision ?? {};
    const why = reason || justification;
    return own.status === FindingStatus.ACCEPTED
      ? `the risk is accepted${why && `: ${why}`}`
      : `a statement says that the image is not affected${why && `: ${why}`}`;
  }
  if (!facts.hasPackages) return "the packages of the image are not known here";
  if (!keysOf(one).some((key) => facts.packages.has(key))) {
    return "the package is not among the packages of the image";
  }
  const isNamed = [one.id, ...one.aliases].some((name) => facts.aliases.has(name));
  return isNamed
    ? "the advisories about it do not affect this version of the package"
    : "no advisory of the group of the image, or of the groups above it, names it";
}

function whyNotTheirs({ basis }: Finding, { databaseTime }: ScanReportHead): string {
  const changed = basis?.recordTime === undefined ? 0 : timestampMs(basis.recordTime);
  return databaseTime > 0 && changed > databaseTime
    ? "the record was changed after the database of the scanner was built"
    : "";
}

function ofScanner(
  { id, aliases, purl, name, version, severity, fixed }: ScannedVulnerability,
  own: Finding | undefined,
  reason: string,
): Message {
  return create(ScannedVulnerabilitySchema, {
    ...{ vulnerability: id, aliases: [...aliases], severity, fixedVersions: [...fixed], reason },
    package: purl || `${name}@${version}`,
    status: own?.status ?? FindingStatus.UNSPECIFIED,
  });
}

function ofService(finding: Finding, reason: string): Message {
  const { vulnerability, aliases, severity, fixedVersions, status } = finding;
  const { purl = "", name = "", version = "" } = finding.package ?? {};
  return create(ScannedVulnerabilitySchema, {
    ...{ vulnerability, aliases, severity, fixedVersions, status, reason },
    package: purl || `${name}@${version}`,
  });
}
