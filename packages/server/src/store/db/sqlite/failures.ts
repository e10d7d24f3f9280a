import { codeOf } from "../../../lib/error-code.ts";
import { WharfError } from "../../../lib/errors.ts";
import { CommitOutcomeUnknown } from "../commit/errors.ts";
import { type FailureCause, failureText } from "../failure.ts";
import { DataFileReplaced } from "./data-files.ts";
import { ReaderProcessFailed } from "./reader-processes.ts";

/** SQLITE_BUSY: another process holds the lock. */
const BUSY = 5;

/** By SQLite's primary result code. */
const CAUSES: Readonly<Record<number, FailureCause>> = {
  [BUSY]: "locked",
  8: "read_only",
  10: "io_error",
  11: "damaged",
  13: "disk_full",
  14: "cannot_open",
  15: "locked",
  26: "damaged",
};

/** By the code of a system call: flushes of the log are not those of SQLite. */
const SYSTEM_CAUSES: Readonly<Record<string, FailureCause>> = {
  EDQUOT: "disk_full",
  EIO: "io_error",
  ENOSPC: "disk_full",
  EROFS: "read_only",
};

export function isLocked(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** The failure of the database behind an error; undefined for all other errors. */
export function causeOf(error: unknown): FailureCause | undefined {
  if (error instanceof ReaderProcessFailed) return "reader_process";
  if (error instanceof DataFileReplaced) return "replaced";
  if (error instanceof CommitOutcomeUnknown) return causeOf(error.cause) ?? "io_error";
  return CAUSES[primaryCode(error)] ?? SYSTEM_CAUSES[codeOf(error)];
}

/** The error of a read, for callers. Errors of statements stay as they are. */
export function readError(error: unknown): unknown {
  const cause = causeOf(error);
  if (cause === undefined) return error;
  const code = cause === "damaged" ? "DATA_LOSS" : "UNAVAILABLE";
  return new WharfError(code, failureText({ cause, operation: "read" }), undefined, error);
}

/** The low byte of an extended result code is the primary one. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}
