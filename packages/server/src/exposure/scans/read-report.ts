import { isGrype, readGrype } from "./grype.ts";
import { isOsvScanner, readOsvScanner } from "./osv-scanner.ts";
import type { ScannedReport } from "./scanned.ts";
import { isTrivy, readTrivy } from "./trivy.ts";

/** Vulnerabilities of one report. */
const MAX_VULNERABILITIES = 50_000;

const READERS = [
  { recognizes: isGrype, read: readGrype },
  { recognizes: isTrivy, read: readTrivy },
  { recognizes: isOsvScanner, read: readOsvScanner },
] as const;

/** A report, or the reason why it is rejected. */
export type ReportReading =
  | { readonly report: ScannedReport; readonly refusal?: never }
  | { readonly report?: never; readonly refusal: string };

/** Reads reports beside the event loop that answers requests. */
export interface ReportReader {
  readReport(bytes: Uint8Array): Promise<ReportReading>;
}

/** Reads the JSON report of a scanner. */
export function readReport(bytes: Uint8Array): ReportReading {
  const content = parsed(bytes);
  if (content === undefined) return { refusal: "content is not JSON in UTF-8" };
  const reader = READERS.find(({ recognizes }) => recognizes(content.json));
  if (reader === undefined) {
    return { refusal: "content is not a JSON report of grype, trivy or osv-scanner" };
  }
  const report = reader.read(content.json);
  const { vulnerabilities } = report;
  if (vulnerabilities.length > MAX_VULNERABILITIES) {
    const count = `content has ${vulnerabilities.length} vulnerabilities`;
    return { refusal: `${count}; the maximum is ${MAX_VULNERABILITIES}` };
  }
  const nameless = vulnerabilities.findIndex(({ id, name }) => id === "" || name === "");
  if (nameless < 0) return { report };
  return { refusal: `vulnerability ${nameless + 1} of content has no id or no package` };
}

function parsed(bytes: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}
