import { AuditExportFormat } from "@wharf/contract";
import type { StoredAuditEntry } from "../../store/tables/audit/entries.ts";
import { jsonOf } from "../message.ts";
import { CSV_HEADER, csvOf } from "./csv.ts";
import { ocsfOf } from "./ocsf.ts";

/** Encoding of an export: a header, lines of entries, and checkpoints if it can be verified. */
export interface ExportFormat {
  readonly mediaType: string;
  readonly header: string;
  /** Whether it has the keys and the checkpoints that verification needs. */
  readonly hasProof: boolean;
  line(entry: StoredAuditEntry): string;
}

const JSON_LINES: ExportFormat = {
  mediaType: "application/jsonl",
  header: "",
  hasProof: true,
  line: (entry) => `{"kind":"entry",${jsonOf(entry).slice(1)}\n`,
};

const FORMATS: Readonly<Record<AuditExportFormat, ExportFormat>> = {
  [AuditExportFormat.UNSPECIFIED]: JSON_LINES,
  [AuditExportFormat.JSON_LINES]: JSON_LINES,
  [AuditExportFormat.CSV]: {
    mediaType: "text/csv",
    header: CSV_HEADER,
    hasProof: false,
    line: csvOf,
  },
  [AuditExportFormat.OCSF]: {
    mediaType: "application/jsonl",
    header: "",
    hasProof: false,
    line: (entry) => `${JSON.stringify(ocsfOf(entry))}\n`,
  },
};

export function formatOf(format: AuditExportFormat): ExportFormat | undefined {
  return FORMATS[format];
}
