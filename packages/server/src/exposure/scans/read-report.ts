import { invalidArgument } from "../../lib/errors.ts";
import { gunzip, isGzip } from "../gzip.ts";
import { isGrype, readGrype } from "./grype.ts";
import { isOsvScanner, readOsvScanner } from "./osv-scanner.ts";
import type { ScannedReport } from "./scanned.ts";
import { isTrivy, readTrivy } from "./trivy.ts";

/** The largest reports of images in public registries have some ten megabytes. */
const MAX_REPORT_BYTES = 32 * 1024 * 1024;

/** Vulnerabilities of one report. */
const MAX_VULNERABILITIES = 50_000;

/** A report with its bytes, expanded. */
interface ReadReport extends ScannedReport {
  readonly bytes: Uint8Array;
}

const READERS = [
  { recognizes: isGrype, read: readGrype },
  { recognizes: isTrivy, read: readTrivy },
  { recognizes: isOsvScanner, read: readOsvScanner },
] as const;

/** Reads the JSON report of a scanner, which may be compressed with gzip. Throws INVALID_ARGUMENT. */
export async function readReport(content: Uint8Array): Promise<ReadReport> {
  const bytes = await expanded(content);
  const report = parsed(bytes);
  const reader = READERS.find(({ recognizes }) => recognizes(report));
  if (reader === undefined) {
    throw invalid("content is not a JSON report of grype, trivy or osv-scanner");
  }
  const read = reader.read(report);
  const count = read.vulnerabilities.length;
  if (count > MAX_VULNERABILITIES) {
    throw invalid(`content has ${count} vulnerabilities; the maximum is ${MAX_VULNERABILITIES}`);
  }
  const nameless = read.vulnerabilities.findIndex(({ id, name }) => id === "" || name === "");
  if (nameless >= 0) {
    throw invalid(`vulnerability ${nameless + 1} of content has no id or no package`);
  }
  return { ...read, bytes };
}

async function expanded(content: Uint8Array): Promise<Uint8Array> {
  const bytes = isGzip(content) ? await gunzip(content, MAX_REPORT_BYTES) : content;
  if (bytes === "invalid") throw invalid("content is not valid gzip");
  if (bytes !== "too large" && bytes.length <= MAX_REPORT_BYTES) return bytes;
  throw invalid(`content is larger than ${MAX_REPORT_BYTES} bytes`);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("content is not JSON in UTF-8");
  }
}

function invalid(description: string) {
  return invalidArgument({ field: "content", description });
}
