import type { AdvisoryDocumentResult } from "@wharf/contract/messages";
import type { Violation } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";

/** Why a document was rejected, or what was corrected in it. */
export interface Refusal {
  readonly document: string;
  readonly line?: number | undefined;
  /** The path in the document; empty for the whole document. */
  readonly field: string;
  readonly reason: string;
}

/** The result of an import. Printed by `-o json`, so the names of its fields are output. */
export class Tally {
  /** Documents read, imported or rejected. */
  documents = 0;
  created = 0;
  changed = 0;
  unchanged = 0;
  /** Vulnerabilities with new metadata. */
  vulnerabilities = 0;
  pendingEvents = 0;
  /** Files that are not documents. */
  skipped = 0;
  /** Documents rejected. */
  refused = 0;
  readonly refusals: Refusal[] = [];
  /** What was corrected in documents that were imported; the first ones if there are very many. */
  readonly warnings: Refusal[] = [];

  addImported(result: AdvisoryDocumentResult): void {
    this.documents++;
    this.created += result.created;
    this.changed += result.changed;
    this.unchanged += result.unchanged;
    this.vulnerabilities += result.vulnerabilitiesChanged;
    this.pendingEvents += result.pendingEvents;
  }

  addWarning(warning: Refusal): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(warning);
  }

  addRejected(refusals: readonly Refusal[]): void {
    this.documents++;
    this.refused++;
    this.refusals.push(...refusals);
  }
}

/** A large source may repeat the same mistake in every document. */
const MAX_WARNINGS = 1_000;

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
