import type { AuditExportFormatJson, AuditFilterJson } from "@wharf/contract/messages";
import { api, client } from "../../api/client.ts";

/** The parts of an export, each with whole lines. */
export async function* exportParts(
  filter: AuditFilterJson,
  format: AuditExportFormatJson,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let pageToken = "";
  do {
    const request = { filter, format, ...(pageToken !== "" && { pageToken }) };
    const { content = "", nextPageToken = "" } = await client.call(
      api.audit.exportEntries,
      request,
      { signal },
    );
    yield content;
    pageToken = nextPageToken;
  } while (pageToken !== "");
}
