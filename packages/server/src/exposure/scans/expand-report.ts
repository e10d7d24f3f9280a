import { invalidArgument } from "../../lib/errors.ts";
import { gunzip, isGzip } from "../gzip.ts";

/** The largest reports of images in public registries have some ten megabytes. */
const MAX_REPORT_BYTES = 32 * 1024 * 1024;

/** The bytes of a report, which may be compressed with gzip. Throws INVALID_ARGUMENT. */
export async function expandReport(content: Uint8Array): Promise<Uint8Array> {
  const bytes = isGzip(content) ? await gunzip(content, MAX_REPORT_BYTES) : content;
  if (bytes === "invalid") throw invalidReport("content is not valid gzip");
  if (bytes !== "too large" && bytes.length <= MAX_REPORT_BYTES) return bytes;
  throw invalidReport(`content is larger than ${MAX_REPORT_BYTES} bytes`);
}

export function invalidReport(description: string) {
  return invalidArgument({ field: "content", description });
}
