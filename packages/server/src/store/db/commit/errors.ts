import { WharfError } from "../../../lib/errors.ts";

/** A write failed after it had written, or the database rejected a statement: the batch must be repeated carefully. */
export class PartialWrite extends Error {}

/** A transaction was rolled back because its connection broke during the commit: it can run again. */
export class CommitRejected extends Error {
  constructor(cause: unknown) {
    super("the connection broke before the commit", { cause });
  }
}

/** It cannot be found out whether a commit is durable. */
export class CommitOutcomeUnknown extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/**
 * The error for callers. UNKNOWN, because clients repeat UNAVAILABLE calls by themselves, and would create a
 * resource twice.
 */
export function outcomeUnknown(cause: CommitOutcomeUnknown): WharfError {
  const text =
    "the store failed during the commit: the write may have taken effect; check before you retry";
  return new WharfError("UNKNOWN", text, { reason: "COMMIT_OUTCOME_UNKNOWN" }, cause);
}
