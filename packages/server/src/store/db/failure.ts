/** Why the database itself cannot be read or written. */
export type FailureCause =
  | "disk_full"
  | "read_only"
  | "io_error"
  | "unreachable"
  | "damaged"
  | "locked"
  | "replaced";

const REASONS: Readonly<Record<FailureCause, string>> = {
  disk_full: "its disk is full",
  read_only: "it is read-only",
  io_error: "disk I/O error",
  unreachable: "it cannot be reached",
  damaged: "the database is damaged, or its disk fails; `wharf admin check` shows where",
  locked: "another process has locked the database",
  replaced: "its file was replaced or removed; restart the server",
};

/** A failed read or write. */
export interface StoreFailure {
  readonly cause: FailureCause;
  readonly error: unknown;
  /** `write` by default. A failed read concerns one request, not the health of the store. */
  readonly operation?: "read" | "write";
}

/** The error text for callers and the log. */
export function failureText({ cause, operation }: Omit<StoreFailure, "error">): string {
  return `the store cannot be ${operation === "read" ? "read" : "written"}: ${REASONS[cause]}`;
}
