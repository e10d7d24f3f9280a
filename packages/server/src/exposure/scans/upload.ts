import { promisify } from "node:util";
import { ScanReportSchema, type UploadScanReportRequest } from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  deleteOldReports,
  writeScanReport,
} from "../../store/tables/exposure/findings/scan-reports.ts";
import { indexesOfImages } from "../../store/tables/exposure/images/image-indexes.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import { expandReport, invalidReport } from "./expand-report.ts";
import { toScanReport } from "./messages.ts";
import type { ReportReader } from "./read-report.ts";
import type { ScannedReport } from "./scanned.ts";

/** Reports of one scanner about one image: a month, one a day. */
const MAX_REPORTS = 31;

/** The handler of UploadScanReport. */
export function uploadScanReport(deps: WriteDeps, reports: ReportReader): Handler {
  const { store } = deps;
  return async (call, message) => {
    const { repoUid: repo, digest, content } = message as UploadScanReportRequest;
    if (content.length === 0) throw invalidReport("content is required");
    if ((await findManifest(store.reader, repo, digest)) === undefined) {
      throw notFound("Image", `${repo}@${digest}`);
    }
    const bytes = await expandReport(content);
    const { report, refusal } = await reports.readReport(bytes);
    if (report === undefined) throw invalidReport(refusal);
    await mustBeAbout(store.reader, repo, digest, report);
    const { scanner, version, databaseTime, vulnerabilities } = report;
    const row = {
      ...{ repo, digest, scanner, version, databaseTime, time: call.time, size: bytes.length },
      author: call.caller.uid,
      authorName: call.caller.name ?? "",
      summary: JSON.stringify(vulnerabilities),
      content: await promisify(zlib().gzip)(bytes),
    };
    const stored = toScanReport(row);
    await store.writeFor(call, async (tx) => {
      if ((await findManifest(tx, repo, digest)) === undefined) {
        throw notFound("Image", `${repo}@${digest}`);
      }
      await writeScanReport(tx, row);
      await deleteOldReports(tx, row, MAX_REPORTS);
      const mutation = new Mutation(call, tx, deps);
      const detail = { digest, scanner, vulnerabilities: vulnerabilities.length };
      await audit(tx, call, { resource: repo, detail });
      const json = messageToJson(ScanReportSchema, stored);
      mutation.emit(call.method, repo, { type: stored.$typeName, json });
    });
    return messageReply(ScanReportSchema, stored);
  };
}

/** A report that names other digests is about another image. Images that were built locally have none. */
async function mustBeAbout(
  reader: Reader,
  repo: string,
  digest: string,
  { digests }: ScannedReport,
): Promise<void> {
  const indexes = (await indexesOfImages(reader, repo, [digest])).map(({ index }) => index);
  const own = new Set([digest, ...indexes]);
  if (digests.length === 0 || digests.some((one) => own.has(one))) return;
  throw invalidReport(`content is about ${digests[0]}, not about ${digest}`);
}
