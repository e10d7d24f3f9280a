import type { AdvisoryDocumentResult } from "@wharf/contract/messages";
import type { Violation } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";

/** Why something of a document was refused, and so all of it. */
export interface Refusal {
  readonly document: string;
  readonly line?: number | undefined;
  /** Where in its structure; empty for the whole. */
  readonly field: string;
  readonly reason: string;
}

/** What an import has come to. */
export class Tally {
  /** Documents that were read, taken or not. */
  documents = 0;
  created = 0;
  changed = 0;
  unchanged = 0;
  /** Vulnerabilities of which something new became known. */
  vulnerabilities = 0;
  /** Events that count once someone has approved them. */
  pendingEvents = 0;
  /** Files that are no documents. */
  skipped = 0;
  /** Documents that were refused. */
  refused = 0;
  readonly refusals: Refusal[] = [];

  take(result: AdvisoryDocumentResult): void {
    this.documents++;
    this.created += result.created;
    this.changed += result.changed;
    this.unchanged += result.unchanged;
    this.vulnerabilities += result.vulnerabilitiesChanged;
    this.pendingEvents += result.pendingEvents;
  }

  refuse(refusals: readonly Refusal[]): void {
    this.documents++;
    this.refused++;
    this.refusals.push(...refusals);
  }
}

export const TALLY_COLUMNS: readonly Column<Tally>[] = [
  { header: "Documents", value: ({ documents }) => documents },
  { header: "Created", value: ({ created }) => created },
  { header: "Changed", value: ({ changed }) => changed },
  { header: "Unchanged", value: ({ unchanged }) => unchanged },
  { header: "Vulnerabilities", value: ({ vulnerabilities }) => vulnerabilities },
  { header: "Pending events", value: ({ pendingEvents }) => pendingEvents },
  { header: "Skipped", value: ({ skipped }) => skipped },
  { header: "Refused", value: ({ refused }) => refused },
];

export function violationOf({ document, line, field, reason }: Refusal): Violation {
  return {
    field: line === undefined ? document : `${document}:${line}`,
    description: field === "" ? reason : `${field}: ${reason}`,
  };
}
