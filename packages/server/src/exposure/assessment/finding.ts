import { type DecisionOrigin, FindingStatus, type MatchedBy } from "@wharf/contract";
import type { FindingRow } from "../../store/tables/exposure/findings/findings.ts";

/** Statuses of findings that need attention: what lists return unless asked for others. */
export const OPEN_STATUSES: readonly FindingStatus[] = [
  FindingStatus.AFFECTED,
  FindingStatus.UNKNOWN,
];

export function isOpen({ status, resolved }: { status: number; resolved: number }): boolean {
  return resolved === 0 && OPEN_STATUSES.includes(status);
}

/** A statement about a vulnerability in a package of an image, as it is stored in the detail of the finding. */
export interface FindingStatement {
  /** Origins that decide first have smaller numbers. */
  readonly origin: DecisionOrigin;
  /** The status that it gives; unspecified for one that says nothing yet, such as under_investigation. */
  readonly status: FindingStatus;
  readonly author?: string;
  readonly authorName?: string;
  readonly justification?: string;
  readonly reason?: string;
  /** In milliseconds since 1970. */
  readonly time?: number;
  readonly expires?: number;
  /** The uid of the decision. */
  readonly decision?: string;
  /** The digest of the VEX document. */
  readonly document?: string;
}

/** The basis of a finding: stored as JSON, and small, because any number of images have the same. */
export interface FindingDetail {
  /** All names of the vulnerability, if it has several. */
  readonly names?: readonly string[];
  /** The records (vulnerability_records), those that decide first, with their own ids. */
  readonly records: readonly (readonly [record: number, id: string])[];
  readonly by: MatchedBy;
  readonly introduced?: string;
  /** The earliest first. */
  readonly fixed?: readonly string[];
  readonly remarks?: readonly string[];
  /** The basis of the severity. */
  readonly score?: string;
  /** The position of the record that the severity is from. */
  readonly rated?: number;
  /** The statement behind the status. */
  readonly decision?: FindingStatement;
  /** Statements that do not decide. */
  readonly others?: readonly FindingStatement[];
}

/** A finding that follows from the present facts about an image. */
export interface AssessedFinding
  extends Omit<FindingRow, "image" | "firstSeen" | "resolved" | "detail"> {
  readonly detail: FindingDetail;
}
