/** Why the store cannot be written, where the database says so: nothing that a caller can change. */
export type FailureCause = "disk_full" | "read_only" | "io_error" | "unreachable";

/** What callers and operators read. */
export const FAILURE_TEXTS: Readonly<Record<FailureCause, string>> = {
  disk_full: "the store cannot be written: its disk is full",
  read_only: "the store cannot be written: it is read-only",
  io_error: "the store cannot be written: its disk fails",
  unreachable: "the store cannot be written: it cannot be reached",
};

/** A write that failed, in the order in which failures came. */
export interface StoreFailure {
  readonly cause: FailureCause;
  readonly error: unknown;
}
