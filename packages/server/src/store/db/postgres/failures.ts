import { WharfError } from "../../../lib/errors.ts";
import type { FailureCause } from "../failure.ts";

/** serialization_failure, deadlock_detected, lock_not_available. */
const TRANSIENT = new Set(["40001", "40P01", "55P03"]);

/** Whether a transaction that failed with this error may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has((error as { code?: string }).code ?? "");
}

/** SQLSTATE classes of an unavailable database: connection, resources, operator. */
const UNAVAILABLE = /^(08|53|57)/;

/** Errors without a SQLSTATE never reached the database. */
export function isUnavailable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || UNAVAILABLE.test(code);
}

const FAILURES: Readonly<Record<string, FailureCause>> = {
  // disk_full, read_only_sql_transaction (a standby, after a failover), io_error
  "53100": "disk_full",
  "25006": "read_only",
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
  const { code = "", message = "" } = ((wrapped ? error.cause : error) ?? {}) as {
    code?: string;
    message?: string;
  };
  if (FAILURES[code] !== undefined) return FAILURES[code];
  return NO_CONNECTION.test(code) || CONNECTION_ENDED.test(message) ? "unreachable" : undefined;
}
