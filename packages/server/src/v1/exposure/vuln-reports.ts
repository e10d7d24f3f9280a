import { promisify } from "node:util";
import { create, type MessageInitShape, toJsonString } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Finding } from "@wharf/contract";
import { vulnerabilitiesV1 } from "@wharf/contract/v1";
import type { ListDeps } from "../../engine/list/lists.ts";
import { findingsOf } from "../../exposure/findings/list-findings.ts";
import { reposOf } from "../../exposure/findings/scope.ts";
import { type ScannedVulnerability, vulnerabilitiesOf } from "../../exposure/scans/scanned.ts";
import { invalidArgument, notFound, tooLong } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  reportsOfImages,
  type ScanReportHead,
  visibleReport,
} from "../../store/tables/exposure/findings/scan-reports.ts";
import {
  type ReportedImage,
  reportedImages,
} from "../../store/tables/exposure/images/reported-images.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { openFindings } from "./images.ts";
import { cvssOf, reportedSeverity } from "./severities.ts";
import { SCANNER_VERSION } from "./vuln-report.ts";

const {
  Scanner_Name: Name,
  Vulnerabilities,
  Vulnerability_Fix_State: State,
  VulnReportSchema,
} = vulnerabilitiesV1;

type Report = MessageInitShape<typeof VulnReportSchema>;
type Reported = NonNullable<Report["vulnerabilities"]>[number];

/** Images of one list, the last pushed first: the list has no pages. */
const MAX_IMAGES = 100;

/** Findings of one list. */
const MAX_VULNERABILITIES = 200_000;

/** Larger reports are downloaded: clients of gRPC accept messages of 4 MiB. */
const MAX_RAW_BYTES = 3 * 1024 * 1024;

export interface ReportDeps extends ListDeps {
  addresses(): { readonly baseUrl: string };
}

/** Reports of vulnerabilities: computed ones, and those of scanners. */
export function vulnReportListMethods(deps: ReportDeps): AdaptedMethod[] {
  return [
    respondWith(Vulnerabilities.method.listVulnReports, {}, (filter, call) =>
      listReports(deps, filter, call),
    ),
    respondWith(Vulnerabilities.method.getRawVulnReport, {}, (request, call) =>
      rawReport(deps, request, call),
    ),
  ];
}

async function listReports(
  { store, catalog }: ReportDeps,
  filter: vulnerabilitiesV1.VulnReportFilter,
  call: Call,
) {
  const { repoId: repo, digest, tag, scanner, createdSince } = filter;
  if (repo === "" && digest === "") {
    const description = "one of repoId and digest is required";
    throw invalidArgument({ field: "repoId", description });
  }
  const reader = store.readerFor(call);
  const intervals = reposOf(catalog, call, undefined);
  const selected = digest !== "" ? { digest } : { repo, ...(tag !== "" && { tag }) };
  const images = await reportedImages(reader, intervals, selected, MAX_IMAGES);
  const own = await ownReports(reader, intervals, images, call.time);
  const scans = (await reportsOfImages(reader, images)).map(scannedReport);
  const since = createdSince === undefined ? 0 : timestampMs(createdSince);
  const all = [...own, ...scans].filter(
    (one) =>
      timestampMs(one.createdAt) > since && (scanner === undefined || isOf(one.scanner, scanner)),
  );
  return { items: all };
}

function isOf(
  { name, version }: { readonly name: number; readonly version: string },
  wanted: vulnerabilitiesV1.Scanner,
): boolean {
  return name === wanted.name && (wanted.version === "" || wanted.version === version);
}

async function ownReports(
  reader: Reader,
  intervals: readonly RepoInterval[],
  images: readonly ReportedImage[],
  now: number,
) {
  // Findings follow their records within seconds.
  const time = timestampFromMs(now);
  const reports = [];
  let total = 0;
  for (const image of images) {
    const rows = await openFindings(reader, intervals, image, now);
    total += rows.length;
    if (total > MAX_VULNERABILITIES)
      throw tooLong("vulnerabilities of images", MAX_VULNERABILITIES);
    const findings = await findingsOf(reader, rows);
    const byName = Map.groupBy(findings, ({ vulnerability }) => vulnerability);
    reports.push({
      digest: image.digest,
      scanner: {
        ...{ name: Name.UNKNOWN, version: SCANNER_VERSION, dbBuildTime: time },
      },
      createdAt: time,
      vulnerabilities: [...byName].map(([id, same]) => vulnerabilityOf(id, same)),
    });
  }
  return reports;
}

function vulnerabilityOf(id: string, findings: readonly Finding[]): Reported {
  const [first] = findings as [Finding, ...Finding[]];
  const fixed = [...new Set(findings.flatMap(({ fixedVersions }) => fixedVersions))];
  const packages = findings.flatMap((one) => (one.package === undefined ? [] : [one.package]));
  return {
    id,
    aliases: first.aliases,
    purls: [...new Set(packages.map(({ purl }) => purl))],
    description: first.summary,
    severity: reportedSeverity(first.severity),
    cvss: cvssOf(first.severityScore),
    fix: { versions: fixed, state: fixed.length > 0 ? State.FIXED : State.NOT_FIXED },
    locations: [...new Set(packages.map(({ location }) => location))].filter(Boolean),
  };
}

function scannedReport(row: ScanReportHead) {
  const byName = Map.groupBy(vulnerabilitiesOf(row), ({ id }) => id);
  return {
    digest: row.digest,
    scanner: scannerOf(row),
    createdAt: timestampFromMs(row.time),
    vulnerabilities: [...byName].map(([id, same]) => scannedVulnerability(id, same)),
  };
}

/** The name of a scanner that the contract does not have is in its version. */
function scannerOf({ scanner, version, databaseTime }: ScanReportHead) {
  const name = { grype: Name.GRYPE, trivy: Name.TRIVY }[scanner as "grype"] ?? Name.UNKNOWN;
  return {
    name,
    version: name === Name.UNKNOWN ? `${scanner}/${version}`.replace(/\/$/, "") : version,
    ...(databaseTime > 0 && { dbBuildTime: timestampFromMs(databaseTime) }),
  };
}

function scannedVulnerability(id: string, same: readonly ScannedVulnerability[]): Reported {
  const fixed = [...new Set(same.flatMap((one) => one.fixed))];
  const severity = Math.max(...same.map((one) => one.severity));
  const isUnfixable = same.every((one) => one.isUnfixable);
  return {
    id,
    aliases: [...new Set(same.flatMap(({ aliases }) => aliases))],
    purls: [...new Set(same.map(({ purl }) => purl))].filter(Boolean),
    description: same[0]?.description ?? "",
    severity: reportedSeverity(severity),
    fix: {
      versions: fixed,
      state: fixed.length > 0 ? State.FIXED : isUnfixable ? State.WONT_FIX : State.NOT_FIXED,
    },
    locations: [...new Set(same.flatMap(({ locations }) => locations))],
  };
}

/** The report of a scanner. This server's own has no other form than that of ListVulnReports. */
async function rawReport(
  { store, catalog, addresses }: ReportDeps,
  request: vulnerabilitiesV1.GetRawVulnReportRequest,
  call: Call,
) {
  const { digest, scanner, createdAt } = request;
  const reader = store.readerFor(call);
  const intervals = reposOf(catalog, call, undefined);
  if (scanner === Name.UNKNOWN) {
    const images = await reportedImages(reader, intervals, { digest }, 1);
    const [own] = await ownReports(reader, intervals, images, call.time);
    if (own === undefined) throw notFound("VulnReport", digest);
    const rawReport = toJsonString(VulnReportSchema, create(VulnReportSchema, own));
    return { digest: own.digest, scanner: own.scanner, createdAt: own.createdAt, rawReport };
  }
  const name = scanner === Name.GRYPE ? "grype" : "trivy";
  const time = createdAt === undefined ? 0 : timestampMs(createdAt);
  const row = await visibleReport(reader, intervals, digest, name, time);
  if (row === undefined) throw notFound("VulnReport", `${digest} of ${name}`);
  const { repo } = row;
  const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}/scans/${name}`;
  const isSmall = row.size <= MAX_RAW_BYTES;
  return {
    ...{ digest, scanner: scannerOf(row), createdAt: timestampFromMs(row.time) },
    ...(isSmall
      ? { rawReport: (await promisify(zlib().gunzip)(row.content)).toString("utf8") }
      : { rawReportUrl: addresses().baseUrl + path }),
  };
}
