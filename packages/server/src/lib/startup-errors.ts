import { WharfError } from "./errors.ts";

/** Startup errors with the next step for the operator. The error of the system is the cause. */

type Reasons = Readonly<Record<string, string>>;

const PORT: Reasons = {
  EADDRINUSE: "another program listens there; stop it, or choose another address with --listen",
  EADDRNOTAVAIL: "that is not an address of this machine; choose another with --listen",
  EACCES: "permission denied; choose a port from 1024 on with --listen",
};

const DATA: Reasons = {
  EACCES: "permission denied; choose another with --data",
  EPERM: "permission denied; choose another with --data",
  EROFS: "the disk is read-only; choose another with --data",
  ENOSPC: "the disk is full",
  EEXIST: "that is a file; choose another with --data",
  ENOTDIR: "a parent of it is a file; choose another with --data",
};

/** By primary result code of SQLite. */
const SQLITE: Readonly<Record<number, string>> = {
  5: "another program has locked the database",
  8: "the database is read-only",
  11: "the database is damaged; restore a backup",
  13: "the disk is full",
  14: "the database cannot be opened",
  26: "wharf.db is not a database; restore a backup, or choose another directory with --data",
};

export function portError(address: string, cause: unknown): Error {
  return problem(`cannot listen at ${address}`, PORT[codeOf(cause)], cause);
}

export function dataDirectoryError(directory: string, cause: unknown): Error {
  const { errcode } = cause as { errcode?: number };
  if (errcode === undefined && codeOf(cause) === "") return cause as Error;
  // The lower byte of an extended code is the primary code.
  const reason = errcode === undefined ? DATA[codeOf(cause)] : SQLITE[errcode & 0xff];
  return problem(`the data directory ${directory} cannot be used`, reason, cause);
}

/**
 * Why PostgreSQL cannot be used. Names only the host: the URL can contain a password.
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
