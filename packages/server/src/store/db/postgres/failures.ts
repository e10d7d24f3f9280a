import { codeOf } from "../../../lib/error-code.ts";
import { WharfError } from "../../../lib/errors.ts";
import { DATABASE_UNAVAILABLE, databaseHint } from "../../../lib/startup-errors.ts";
import type { FailureCause } from "../failure.ts";

/** The database cannot be used; found out by us, so there is no SQLSTATE. */
export class DatabaseUnavailable extends Error {
  /** For the exit code of a start that fails. */
  readonly code = DATABASE_UNAVAILABLE;
  readonly failure: FailureCause | undefined;

  /** `cause` is undefined after an orderly close. */
  constructor(message: string, failure?: FailureCause) {
    super(message);
    this.failure = failure;
  }
}

/** serialization_failure, deadlock_detected, lock_not_available. */
const TRANSIENT = new Set(["40001", "40P01", "55P03"]);

/** Whether a transaction that failed with this error may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

export const READ_ONLY_TRANSACTION = "25006";

/** SQLSTATEs of an unavailable database: connection, resources, operator; read_only_sql_transaction. */
const UNAVAILABLE = /^(08|53|57|25006)/;

/** Errors without a SQLSTATE never reached the database. */
export function isUnavailable(error: unknown): boolean {
  return !isFromServer(error) || UNAVAILABLE.test(codeOf(error));
}

/** Whether the database itself answered with this error. */
export function isFromServer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && !/^E[A-Z]+$/.test(codeOf(error));
}

const FAILURES: Readonly<Record<string, FailureCause>> = {
  // disk_full, read_only_sql_transaction (a standby, after a failover), io_error
  "53100": "disk_full",
  [READ_ONLY_TRANSACTION]: "read_only",
  "58030": "io_error",
  // query_canceled: the statement timeout
  "57014": "timeout",
  EMFILE: "file_descriptors",
  ENFILE: "file_descriptors",
};

/** SQLSTATE classes and system errors of a broken connection; pg has no code for a terminated one. */
const NO_CONNECTION = /^(08|53|57P)|^E[A-Z]+$/;
const CONNECTION_ENDED = /^Connection terminated/;

/** The failure of the database behind an error; undefined for all other errors. */
export function failureOf(error: unknown): FailureCause | undefined {
  const wrapped = error instanceof WharfError;
  if (wrapped && error.code !== "UNAVAILABLE") return undefined;
  const cause = (wrapped ? error.cause : error) as { message?: string } | undefined;
  if (cause instanceof DatabaseUnavailable) return cause.failure;
  const code = codeOf(cause);
  if (FAILURES[code] !== undefined) return FAILURES[code];
  const isBroken = NO_CONNECTION.test(code) || CONNECTION_ENDED.test(cause?.message ?? "");
  return isBroken ? "unreachable" : undefined;
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "DNS lookup failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
};

/** Why a host cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return SYSTEM_ERRORS[code] ?? databaseHint(code) ?? (error as Error).message;
}
