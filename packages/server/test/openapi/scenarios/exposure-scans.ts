import { GHSA, LEFT_PAD } from "../../support/exposure/pushed-images.ts";
import type { Recorder } from "../recorder.ts";
import { recordedImages } from "./exposure-images.ts";

const MATCH = {
  vulnerability: { id: GHSA, severity: "High", fix: { versions: ["1.3.1"], state: "fixed" } },
  artifact: { name: "left-pad", version: "1.3.0", purl: LEFT_PAD },
};

const REPORT = {
  matches: [MATCH],
  descriptor: {
    name: "grype",
    version: "0.93.0",
    db: { status: { built: "2026-05-01T00:00:00Z" } },
  },
};

/** The report of a scanner about an image. */
export async function exposureScans(record: Recorder): Promise<void> {
  const { repo, affected } = await recordedImages(record);
  record.keep(REPORT);
  const method = (name: string) => `ScanReportsService_${name}`;
  const path = [repo, affected];
  const content = Buffer.from(JSON.stringify(REPORT)).toString("base64");
  await record.call(method("UploadScanReport"), { path, body: { content } });
  await record.call(method("ListScanReports"), { path });
  const scan = [...path, "grype"];
  await record.call(method("GetScanReport"), { path: scan });
  await record.call(method("CompareScanReport"), { path: scan });
  const query = { digest: affected, scanner: "GRYPE" };
  await record.call("V1_Vulnerabilities_GetRawVulnReport", { query });
}
