import type { Refusal, Tally } from "@wharf/advisories/import";
import type { Violation } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";

export const TALLY_COLUMNS: readonly Column<Tally>[] = [
  { header: "Documents", value: ({ documents }) => documents },
  { header: "Created", value: ({ created }) => created },
  { header: "Changed", value: ({ changed }) => changed },
  { header: "Unchanged", value: ({ unchanged }) => unchanged },
  { header: "Vulnerabilities", value: ({ vulnerabilities }) => vulnerabilities },
  { header: "Pending events", value: ({ pendingEvents }) => pendingEvents },
  { header: "Skipped", value: ({ skipped }) => skipped },
  { header: "Rejected", value: ({ refused }) => refused },
];

/** `a.yaml:3: id: is missing` */
export function violationOf({ document, line, field, reason }: Refusal): Violation {
  return {
    field: line === undefined ? document : `${document}:${line}`,
    description: field === "" ? reason : `${field}: ${reason}`,
  };
}
