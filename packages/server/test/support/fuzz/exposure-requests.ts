/** Valid requests for the methods of exposure: those that need more than a UID. */
import type { JsonObject } from "@bufbuild/protobuf";
import { digest } from "../registry/oci-image.ts";

const VULNERABILITY = "CVE-2026-1";
const PACKAGE = { ecosystem: "npm", name: "left-pad" };

export const DECISION = {
  vulnerability: VULNERABILITY,
  status: "FINDING_STATUS_NOT_AFFECTED",
  justification: "vulnerable_code_not_present",
};

const SPDX = { spdxVersion: "SPDX-2.3", SPDXID: "SPDXRef-DOCUMENT", name: "x", packages: [] };
const GRYPE = { matches: [], descriptor: { name: "grype", version: "0.93.0" } };

const encoded = (document: object) => Buffer.from(JSON.stringify(document)).toString("base64");

/** By service and method. */
export function exposureRequests(
  group: string,
  repo: string,
  decision: string,
): Readonly<Record<string, JsonObject>> {
  const image = { repoUid: repo, digest: digest(1) };
  const v1 = { repoId: repo, digest: digest(1) };
  const scan = { ...image, scanner: "grype" };
  return {
    "DecisionsService/CreateDecision": { parent: group, decision: DECISION },
    "DecisionsService/UpdateDecision": { decision: { uid: decision, ...DECISION } },
    "DecisionsService/ReviewDecision": { uid: decision, state: "DECISION_REVIEW_STATE_APPROVED" },
    "FindingsService/ListFixedTags": { repoUid: repo, vulnerability: VULNERABILITY },
    "FindingsService/CountFindings": { repoUid: repo, digests: [digest(1)] },
    "FindingsService/DiffImages": { fromRepoUid: repo, from: "1.0", to: "1.0" },
    "InventoryService/ListImagePackages": image,
    "InventoryService/GetImageInventory": image,
    "InventoryService/GetSbomDocument": image,
    "InventoryService/ReindexImage": image,
    "InventoryService/UploadImageDocument": { ...image, content: encoded(SPDX) },
    "InventoryService/ListPackageImages": { package: "left-pad" },
    "InventoryService/SearchExposure": { query: "left-pad" },
    "ScanReportsService/UploadScanReport": { ...image, content: encoded(GRYPE) },
    "ScanReportsService/ListScanReports": image,
    "ScanReportsService/GetScanReport": scan,
    "ScanReportsService/CompareScanReport": scan,
    ...bothVersions("ListDocuments", { id: "openssl" }),
    ...bothVersions("ListVulnerabilityMetadata", { ids: [VULNERABILITY] }),
    ...bothVersions("ListResolvedVulnsReports", { imageRefs: [{ repo: "extreme" }] }),
    "ArgosOSV/Query": { package: PACKAGE },
    "ArgosOSV/QueryBatch": { queries: [{ package: PACKAGE }] },
    "ArgosOSV/GetVuln": { id: VULNERABILITY },
    "ArgosVulns/BatchGet": { parent: group, cgpIds: [VULNERABILITY] },
    "Registry/GetSbom": v1,
    "Registry/GetRawSbom": v1,
    "Registry/GetVulnReport": v1,
    "Registry/GetHelm": v1,
    "Registry/GetChart": v1,
    "Registry/ListManifestMetadata": { repoId: repo, items: [{ imageDigest: digest(1) }] },
    "Registry/GetManifestDigestCount": { parentId: group },
    "Registry/ListChartImageBindings": { imageRepoIds: [repo] },
    "Vulnerabilities/ListVulnReports": { repoId: repo },
    "Vulnerabilities/GetRawVulnReport": { digest: digest(1), scanner: "GRYPE" },
    "Vulnerabilities/ListVulnCountReports": { repo: "extreme" },
    "Vulnerabilities/ListCumulativeVulnCountReports": { repo: "extreme" },
  };
}

function bothVersions(method: string, request: JsonObject): Record<string, JsonObject> {
  return {
    [`SecurityAdvisory/${method}`]: request,
    [`SecurityAdvisoryService/${method}`]: request,
  };
}
