import type { AuditExportFormatJson, AuditFilterJson } from "@wharf/contract/messages";
import { useState } from "react";
import { auditTexts } from "../../texts/audit.ts";
import { SelectField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { exportParts } from "./export.ts";
import { countLines } from "./lines.ts";

const FORMATS: Readonly<
  Record<string, readonly [format: AuditExportFormatJson, name: string, type: string]>
> = {
  jsonl: ["AUDIT_EXPORT_FORMAT_JSON_LINES", "audit.jsonl", "application/jsonl"],
  csv: ["AUDIT_EXPORT_FORMAT_CSV", "audit.csv", "text/csv"],
  ocsf: ["AUDIT_EXPORT_FORMAT_OCSF", "audit-ocsf.jsonl", "application/jsonl"],
};

/** Saves all entries that match a filter as a file. */
export function ExportDialog({ filter }: { readonly filter: AuditFilterJson }) {
  const [lines, setLines] = useState(0);
  const save = async (key: string) => {
    const chosen = FORMATS[key];
    if (chosen === undefined) return {};
    const [format, name, type] = chosen;
    const parts: string[] = [];
    let count = 0;
    setLines(0);
    for await (const part of exportParts(filter, format, new AbortController().signal)) {
      parts.push(part);
      count += countLines(part);
      setLines(count);
    }
    saveFile(name, new Blob(parts, { type }));
    return { message: auditTexts.exported(count) };
  };
  return (
    <FormDialog
      title={auditTexts.exportTitle}
      submit={auditTexts.export}
      className="button quiet"
      onSubmit={(text) => save(text("format"))}
    >
      <p>{auditTexts.exportText}</p>
      <SelectField name="format" label={auditTexts.format} options={auditTexts.formats} />
      {lines > 0 && <p role="status">{auditTexts.exporting(lines)}</p>}
    </FormDialog>
  );
}
