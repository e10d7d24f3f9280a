import { promisify } from "node:util";
import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type CompareScanReportRequest,
  type GetScanReportRequest,
  type ListScanReportsRequest,
  ListScanReportsResponseSchema,
  ScanComparisonSchema,
  ScanReportDocumentSchema,
  ScanReportsService,
} from "@wharf/contract";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import {
  findReport,
  latestReports,
  type ScanReportRow,
} from "../../store/tables/exposure/findings/scan-reports.ts";
import { compareReport } from "./compare.ts";
import { toScanReport } from "./messages.ts";
import type { ReportReader } from "./read-report.ts";
import { uploadScanReport } from "./upload.ts";

/** The handlers of ScanReportsService. */
export function scanReportHandlers(
  deps: WriteDeps,
  reports: ReportReader,
): (readonly [DescMethod, Handler])[] {
  const { method } = ScanReportsService;
  return [
    [method.uploadScanReport, uploadScanReport(deps, reports)],
    [method.listScanReports, listScanReports(deps.store)],
    [method.getScanReport, getScanReport(deps.store)],
    [method.compareScanReport, compareScanReport(deps.store)],
  ];
}

function listScanReports(store: Store): Handler {
  return onlyReads(async (call, message) => {
    const { repoUid, digest } = message as ListScanReportsRequest;
    const rows = await latestReports(store.readerFor(call), repoUid, digest);
    const response = create(ListScanReportsResponseSchema, { reports: rows.map(toScanReport) });
    return messageReply(ListScanReportsResponseSchema, response);
  });
}

function getScanReport(store: Store): Handler {
  return onlyReads(async (call, message) => {
    const row = await mustFind(store.readerFor(call), message as GetScanReportRequest);
    const content = await promisify(zlib().gunzip)(row.content);
    const document = create(ScanReportDocumentSchema, { content: Uint8Array.from(content) });
    return messageReply(ScanReportDocumentSchema, document);
  });
}

function compareScanReport(store: Store): Handler {
  return onlyReads(async (call, message) => {
    const reader = store.readerFor(call);
    const row = await mustFind(reader, message as CompareScanReportRequest);
    const comparison = await compareReport(reader, row, call.time);
    return messageReply(ScanComparisonSchema, comparison);
  });
}

async function mustFind(
  reader: Reader,
  { repoUid, digest, scanner }: GetScanReportRequest | CompareScanReportRequest,
): Promise<ScanReportRow> {
  const row = await findReport(reader, repoUid, digest, scanner);
  if (row === undefined) throw notFound("ScanReport", `${repoUid}@${digest} of ${scanner}`);
  return row;
}
