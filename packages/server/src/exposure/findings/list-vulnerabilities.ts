import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type FoundVulnerability,
  FoundVulnerabilitySchema,
  type ListFoundVulnerabilitiesRequest,
  ListFoundVulnerabilitiesResponseSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { FindingFilter } from "../../store/tables/exposure/findings/finding-list.ts";
import {
  countVulnerabilities,
  packagesOf,
  readVulnerabilities,
  type VulnerabilityOrder,
  type VulnerabilityPosition,
  type VulnerabilityRow,
} from "../../store/tables/exposure/findings/vulnerability-list.ts";
import { MILLION } from "../../store/tables/exposure/sources/facts.ts";
import type { FindingDetail } from "../assessment/finding.ts";
import { type OrderColumns, readOrder } from "./order.ts";
import { requestedPage } from "./page.ts";
import { readFilter } from "./read-filter.ts";
import { readRecords, recordsOf, summaryOf } from "./records-of-findings.ts";
import { appliesWithin, reposOf } from "./scope.ts";

/** Names of packages that one vulnerability is returned with. */
const MAX_PACKAGES = 10;

const ORDERS: OrderColumns<VulnerabilityOrder["column"]> = {
  severity: { column: "severity", descending: true },
  images: { column: "images", descending: true },
  vulnerability: { column: "vulnerability", descending: false },
};

/** The handler of ListFoundVulnerabilities. */
export function listVulnerabilities({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListFoundVulnerabilitiesRequest;
    const order = readOrder(request.orderBy, ORDERS);
    const { after, limit, cut } = requestedPage<VulnerabilityPosition>(lists, call, request);
    const reader = store.readerFor(call);
    const costly = reader.costly ?? reader;
    const intervals = reposOf(catalog, call, request.uidp);
    const filter = await readFilter(reader, request, intervals, call.time);
    const found = await readVulnerabilities(costly, filter, { order, after, limit });
    const { rows, nextPageToken } = cut(found, (last) => [last[order.column], last.vulnerability]);
    const response = create(ListFoundVulnerabilitiesResponseSchema, {
      vulnerabilities: await vulnerabilitiesOf(costly, filter, rows),
      nextPageToken,
      totalCount: BigInt(await countVulnerabilities(costly, filter)),
    });
    return messageReply(ListFoundVulnerabilitiesResponseSchema, response);
  });
}

/** Vulnerabilities as messages, with the names of their packages. */
export async function vulnerabilitiesOf(
  reader: Reader,
  filter: FindingFilter,
  rows: readonly VulnerabilityRow[],
): Promise<FoundVulnerability[]> {
  const names = rows.map(({ vulnerability }) => vulnerability);
  const packages = await packagesOf(reader, filter, names, MAX_PACKAGES);
  const records = await readRecords(
    reader,
    rows.map(({ detail }) => detail),
  );
  const applies = (group: string) => appliesWithin(filter.intervals, group);
  return rows.map((row) => {
    const applicable = recordsOf(JSON.parse(row.detail) as FindingDetail, records, applies);
    return toVulnerability(row, packages.get(row.vulnerability) ?? [], summaryOf(applicable));
  });
}

function toVulnerability(
  row: VulnerabilityRow,
  packages: readonly string[],
  summary: string,
): FoundVulnerability {
  const { vulnerability, severity, images, imagesInUse, repos, fixable, firstSeen } = row;
  const { names = [] } = JSON.parse(row.detail) as FindingDetail;
  return create(FoundVulnerabilitySchema, {
    ...{ vulnerability, severity, summary },
    aliases: names.filter((name) => name !== vulnerability),
    images: BigInt(images),
    imagesInUse: BigInt(imagesInUse),
    repos: BigInt(repos),
    packages: [...packages],
    fixable: fixable === 1,
    firstSeen: timestampFromMs(firstSeen),
    knownExploited: row.exploited === 1,
    exploitProbability: (row.probability ?? 0) / MILLION,
  });
}
