import type { FailureCause, StoreFailure } from "../../src/store/db/failure.ts";

/** Sentences of failures of the database, which callers and the log get. Tests that cause them compare reasons. */
export const STORE_FAILURES: Readonly<
  Record<FailureCause, readonly [StoreFailure["operation"], text: string]>
> = {
  disk_full: ["write", "Unavailable: the store cannot be written: its disk is full"],
  read_only: ["write", "Unavailable: the store cannot be written: it is read-only"],
  io_error: ["write", "Unavailable: the store cannot be written: disk I/O error"],
  unreachable: ["read", "Unavailable: the store cannot be read: it cannot be reached"],
  standby: [
    "read",
    "Unavailable: the store cannot be read: only a standby can be reached, no primary",
  ],
  damaged: [
    "read",
    "Data loss: the store cannot be read: the database is damaged, or its disk fails; `wharf admin check` shows where",
  ],
  locked: [
    "write",
    "Unavailable: the store cannot be written: another process has locked the database or a table of it",
  ],
  replaced: [
    "read",
    "Unavailable: the store cannot be read: its file was replaced or removed; restart the server",
  ],
  timeout: ["read", "Unavailable: the store cannot be read: it does not respond in time"],
  file_descriptors: [
    "write",
    "Unavailable: the store cannot be written: the server has no file descriptors left",
  ],
  cannot_open: ["read", "Unavailable: the store cannot be read: one of its files cannot be opened"],
  reader_process: [
    "read",
    "Unavailable: the store cannot be read: a process for costly reads or checkpoints has failed; the log of the server has the reason",
  ],
  other: ["write", "Unavailable: the store cannot be written: unexpected error"],
};

export const COMMIT_OUTCOME_UNKNOWN =
  "Unknown: the store failed during the commit: the write may have taken effect; check before you retry";
