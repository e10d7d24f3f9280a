import { WharfError } from "../lib/errors.ts";

/**
 * What can be in the way of a start, in words that say what to do. What the system said is the cause.
 */

type Words = Readonly<Record<string, string>>;

const PORT: Words = {
  EADDRINUSE: "another program listens there; stop it, or choose another address with --listen",
  EADDRNOTAVAIL: "that is no address of this machine; choose another with --listen",
  EACCES: "this user may not; choose a port from 1024 on with --listen",
};

const DATA: Words = {
  EACCES: "this user may not write there; choose another with --data",
  EPERM: "this user may not write there; choose another with --data",
  EROFS: "the disk is read-only; choose another with --data",
  ENOSPC: "the disk is full",
  EEXIST: "that is a file; choose another with --data",
  ENOTDIR: "a part of the path is a file; choose another with --data",
};

/** Of SQLite, which has one code for everything: the last digits are its own. */
const SQLITE: Readonly<Record<number, string>> = {
  5: "another program has locked the database",
  8: "the database is read-only",
  11: "the database is damaged; restore a backup",
  13: "the disk is full",
  14: "the database cannot be opened",
  26: "wharf.db is no database; restore a backup, or choose another directory with --data",
};

/**
 * @example throw portProblem("127.0.0.1:8080", error);
 */
export function portError(address: string, cause: unknown): Error {
  return problem(`cannot listen at ${address}`, PORT[codeOf(cause)], cause);
}

/**
 * @example throw dataProblem("/var/lib/wharf", error);
 */
export function dataDirectoryError(directory: string, cause: unknown): Error {
  const { errcode } = cause as { errcode?: number };
  if (errcode === undefined && codeOf(cause) === "") return cause as Error;
  // The lower byte is the kind of failure, the rest its details.
  const reason = errcode === undefined ? DATA[codeOf(cause)] : SQLITE[errcode & 0xff];
  return problem(`the data directory ${directory} cannot be used`, reason, cause);
}

/**
 * What PostgreSQL refuses, or why it cannot be reached. Of the URL, which can hold a password, only the host is told.
 *
 * @example throw databaseProblem("postgres://wharf@db.internal/wharf", error);
 */
export function databaseError(url: string, thrown: unknown): Error {
  const cause = thrown instanceof WharfError ? thrown.cause : thrown;
  if (codeOf(cause) === "") return thrown as Error;
  return problem(`the database at ${URL.parse(url)?.host} cannot be used`, undefined, cause);
}

function problem(what: string, reason: string | undefined, cause: unknown): Error {
  return new Error(reason === undefined ? what : `${what}: ${reason}`, { cause });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
