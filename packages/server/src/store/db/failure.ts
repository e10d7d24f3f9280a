/** Why the database itself cannot be read or written. */
export type FailureCause =
  | "disk_full"
  | "read_only"
  | "io_error"
  | "unreachable"
  | "timeout"
  | "file_descriptors"
  | "cannot_open"
  | "other";

/** What is wrong with the store, for callers and the log. */
const CAUSE_TEXTS: Readonly<Record<FailureCause, string>> = {
  disk_full: "its disk is full",
  read_only: "it is read-only",
  io_error: "disk I/O error",
  unreachable: "it cannot be reached",
  timeout: "it does not respond in time",
  file_descriptors: "the server has no file descriptors left",
  cannot_open: "one of its files cannot be opened",
  other: "unexpected error",
};

const PARTICIPLES = { read: "read", write: "written" } as const;

/** A failed read or write. */
export interface StoreFailure {
  readonly operation: keyof typeof PARTICIPLES;
  readonly cause: FailureCause;
  readonly error: unknown;
}

/** For example "the store cannot be written: its disk is full". */
export function failureText({ operation, cause }: Omit<StoreFailure, "error">): string {
  return `the store cannot be ${PARTICIPLES[operation]}: ${CAUSE_TEXTS[cause]}`;
}

/** The codes of system errors that mean: no file descriptors left, in the process or in the system. */
const DESCRIPTOR_CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether an error, or one of its causes, is a lack of file descriptors. */
export function lacksDescriptors(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (DESCRIPTOR_CODES.has((at as NodeJS.ErrnoException).code)) return true;
  }
  return false;
}
