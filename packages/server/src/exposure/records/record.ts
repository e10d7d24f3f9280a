import type { JsonObject } from "@bufbuild/protobuf";
import type { FindingSeverity } from "@wharf/contract";

/** The plans of the publisher for packages without a fix. */
export const RECORD_STATUSES = { none: 0, investigated: 1, notPlanned: 2, pending: 3 } as const;

/** The parts of a record that are shown and not compared, stored as JSON. */
export interface RecordDetail {
  /** The id of the record, such as GHSA-…, by which others find it. */
  readonly id: string;
  /** In a sentence. */
  readonly summary?: string;
}

/** A name in a record, with its role (NAME_ROLES). */
export interface NameOf {
  readonly name: string;
  readonly role: number;
}

/** A record of one package, derived from an advisory. */
export interface DerivedRecord {
  readonly ecosystem: string;
  /** The ecosystem with its release, as the record has it. */
  readonly release: string;
  readonly package: string;
  /** Entries of `affected`, with what matching reads. */
  readonly affected: readonly JsonObject[];
  readonly status: number;
  readonly severity: FindingSeverity;
  readonly score: string;
  readonly names: readonly NameOf[];
  readonly detail: RecordDetail;
}
