import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Finding,
  type FindingBasisSchema,
  type FindingDecision,
  FindingDecisionSchema,
  FindingSchema,
  type ImagePackage,
  ImagePackageSchema,
  isSelfOrBelow,
} from "@wharf/contract";
import type { FindingRow } from "../../store/tables/exposure/findings/finding-list.ts";
import type { ImageNames } from "../../store/tables/exposure/images/image-names.ts";
import type { PackageRow } from "../../store/tables/exposure/packages/image-packages-list.ts";
import { MILLION } from "../../store/tables/exposure/sources/facts.ts";
import type { FindingDetail, FindingStatement } from "../assessment/finding.ts";
import {
  type FindingRecords,
  type KnownRecord,
  recordsOf,
  summaryOf,
} from "./records-of-findings.ts";

export function toFinding(row: FindingRow, names: ImageNames, records: FindingRecords): Finding {
  const detail = JSON.parse(row.detail) as FindingDetail;
  const { vulnerability, status, severity } = row;
  const applicable = recordsOf(detail, records, (group) => isSelfOrBelow(row.repo, group));
  return create(FindingSchema, {
    ...{ vulnerability, status, severity },
    ...{ repoUid: row.repo, digest: row.digest, platform: row.platform, ...names },
    aliases: (detail.names ?? []).filter((name) => name !== vulnerability),
    package: toImagePackage({ ...row, version: row.packageVersion }),
    severityScore: detail.score ?? "",
    severitySource: severity > 0 ? (detail.records[detail.rated ?? 0]?.[1] ?? "") : "",
    fixedVersions: [...(detail.fixed ?? [])],
    basis: toBasis(detail, applicable[0]),
    ...(detail.decision && { decision: toDecision(detail.decision) }),
    otherStatements: (detail.others ?? []).map(toDecision),
    firstSeen: timestampFromMs(row.firstSeen),
    ...(row.resolved > 0 && { resolveTime: timestampFromMs(row.resolved) }),
    inUse: row.inUse === 1,
    knownExploited: row.exploited === 1,
    exploitProbability: (row.probability ?? 0) / MILLION,
    summary: summaryOf(applicable),
  });
}

export function toImagePackage(row: Omit<PackageRow, "id">): ImagePackage {
  const { purl, ecosystem, release, name, version, origin, originVersion, license, location } = row;
  return create(ImagePackageSchema, {
    ...{ purl, name, version, origin, originVersion, license, location },
    ecosystem: release || ecosystem,
  });
}

function toBasis(
  { records, by, introduced, remarks }: FindingDetail,
  first: KnownRecord | undefined,
): MessageInitShape<typeof FindingBasisSchema> {
  return {
    introduced: introduced ?? "",
    groupUid: first?.group ?? "",
    records: records.map(([, id]) => id),
    matchedBy: by,
    remarks: [...(remarks ?? [])],
    ...(first && { recordTime: timestampFromMs(first.updated) }),
  };
}

/** Origins and statuses have the numbers of the contract. */
function toDecision({ time, expires, decision, ...one }: FindingStatement): FindingDecision {
  return create(FindingDecisionSchema, {
    ...one,
    ...(decision !== undefined && { decisionUid: decision }),
    ...(time !== undefined && time > 0 && { time: timestampFromMs(time) }),
    ...(expires !== undefined && { expireTime: timestampFromMs(expires) }),
  });
}
