import type { AdvisoryDocumentResult } from "@wharf/contract/messages";
import { linesOf } from "../read/read.ts";
import type { ParsedDocument } from "./batches.ts";

/** Why a document was rejected, or what was corrected in it. */
export interface Refusal {
  readonly document: string;
  readonly line?: number | undefined;
  /** The path in the document; empty for the whole document. */
  readonly field: string;
  readonly reason: string;
}

/** The result of an import. `wharf advisories import -o json` prints it, so the names of its fields are output. */
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
  /** Corrections to documents that were imported; the first ones if there are very many. */
  readonly warnings: Refusal[] = [];

  /** Adds the result of a document, with the lines of what was rejected. */
  add({ document, bytes }: ParsedDocument, result: AdvisoryDocumentResult): void {
    if (result.refusals.length === 0) {
      this.#addImported(result);
      return;
    }
    const lines = linesOf(
      bytes,
      result.refusals.map(({ field }) => field),
    );
    this.addRejected(
      result.refusals.map(({ field, description: reason }, index) => ({
        ...{ document: document.name, line: lines[index], field, reason },
      })),
    );
  }

  #addImported(result: AdvisoryDocumentResult): void {
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
