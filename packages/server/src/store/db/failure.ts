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
