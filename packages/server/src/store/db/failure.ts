import { WharfError } from "../../lib/errors.ts";

/** Why the database itself cannot be read or written. */
export type FailureCause =
  | "disk_full"
  | "read_only"
  | "io_error"
  | "unreachable"
  | "standby"
  | "damaged"
  | "locked"
  | "replaced"
  | "timeout"
  | "file_descriptors"
  | "cannot_open"
  | "reader_process"
  | "other";

const REASONS: Readonly<Record<FailureCause, string>> = {
  disk_full: "its disk is full",
  read_only: "it is read-only",
  io_error: "disk I/O error",
  unreachable: "it cannot be reached",
  standby: "only a standby can be reached, no primary",
  damaged: "the database is damaged, or its disk fails; `wharf admin check` shows where",
  locked: "another process has locked the database or a table of it",
  replaced: "its file was replaced or removed; restart the server",
  timeout: "it does not respond in time",
  file_descriptors: "the server has no file descriptors left",
  cannot_open: "one of its files cannot be opened",
  reader_process:
    "a process for costly reads or checkpoints has failed; the log of the server has the reason",
  other: "unexpected error",
};

/** A failed read or write. */
export interface StoreFailure {
  readonly operation: "read" | "write";
  readonly cause: FailureCause;
  readonly error: unknown;
}

/** The error text for callers and the log, such as "the store cannot be written: its disk is full". */
export function failureText({ cause, operation }: Omit<StoreFailure, "error">): string {
  return `the store cannot be ${operation === "read" ? "read" : "written"}: ${REASONS[cause]}`;
}

/** The error for callers. */
export function storeError(failure: StoreFailure): WharfError {
  const code = failure.cause === "damaged" ? "DATA_LOSS" : "UNAVAILABLE";
  return new WharfError(code, failureText(failure), undefined, databaseErrorOf(failure));
}

/** The error of the database itself, for the log. */
export function databaseErrorOf({ error }: Pick<StoreFailure, "error">): unknown {
  return error instanceof WharfError ? (error.cause ?? error) : error;
}
