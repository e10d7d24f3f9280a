import { WharfError } from "../../lib/errors.ts";

/** Why the database itself cannot be written. */
export type FailureCause = "disk_full" | "read_only" | "io_error" | "unreachable";

/** The error texts for callers and the log. */
export const FAILURE_TEXTS: Readonly<Record<FailureCause, string>> = {
  disk_full: "the store cannot be written: its disk is full",
  read_only: "the store cannot be written: it is read-only",
  io_error: "the store cannot be written: disk I/O error",
  unreachable: "the store cannot be written: it cannot be reached",
};

/** A failed write. */
export interface StoreFailure {
  readonly cause: FailureCause;
  readonly error: unknown;
}

/** A transaction was rolled back because its connection broke during the commit: it can run again. */
export class NotCommitted extends Error {
  constructor(cause: unknown) {
    super("the connection broke before the commit", { cause });
  }
}

/** The connection broke during a commit, and the database cannot be asked whether it succeeded. */
export class CommitOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection broke during the commit, and the database cannot be reached", { cause });
  }
}

/**
 * The error for callers. UNKNOWN, because clients repeat UNAVAILABLE calls by themselves, and would create a
 * resource twice.
 */
export function outcomeUnknown(cause: CommitOutcomeUnknown): WharfError {
  const text =
    "the connection to the store broke during the commit: the write may have taken effect; check before you retry";
  return new WharfError("UNKNOWN", text, { reason: "COMMIT_OUTCOME_UNKNOWN" }, cause);
}
