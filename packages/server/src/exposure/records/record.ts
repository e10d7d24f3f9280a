import type { JsonObject } from "@bufbuild/protobuf";

/** Severities, by their numbers in FindingSeverity. */
export const SEVERITIES = {
  unknown: 0,
  negligible: 1,
  low: 2,
  medium: 3,
  high: 4,
  critical: 5,
} as const;

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
  readonly severity: number;
  readonly score: string;
  readonly names: readonly NameOf[];
  readonly detail: RecordDetail;
}
