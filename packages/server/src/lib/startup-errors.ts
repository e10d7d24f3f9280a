import { WharfError } from "./errors.ts";

/** Startup errors in words that say what to do. The error of the system is the cause. */

type Hints = Readonly<Record<string, string>>;

const PORT: Hints = {
  EADDRINUSE:
    "the address is in use; stop the other program, or choose another address with --listen",
  EADDRNOTAVAIL: "not an address of this machine; choose another with --listen",
  EACCES: "permission denied; choose a port of 1024 or above with --listen",
};

const DATA: Hints = {
  EACCES: "permission denied; choose another directory with --data",
  EPERM: "permission denied; choose another directory with --data",
  EROFS: "the disk is read-only; choose another directory with --data",
  ENOSPC: "the disk is full",
  EEXIST: "it is a file; choose another directory with --data",
  ENOTDIR: "part of the path is a file; choose another directory with --data",
};

/** By SQLite's primary result code. */
const SQLITE: Readonly<Record<number, string>> = {
  5: "another program has locked the database",
  8: "the database is read-only",
  10: "the disk cannot be read or written",
  11: "the database is damaged; see what with `wharf admin check`, then restore a backup with `wharf admin restore`",
  13: "the disk is full",
  14: "the database cannot be opened",
  26: "wharf.db is not a database, or its beginning is damaged; restore a backup, or choose another directory with --data",
};

/** The code of an error whose message says all: which host does not answer, or is a standby. */
export const DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE";

export function portError(address: string, cause: unknown): Error {
  return problem(`cannot listen at ${address}`, PORT[codeOf(cause)], cause);
}

export function dataDirectoryError(directory: string, thrown: unknown): Error {
  const cause = thrown instanceof WharfError ? thrown.cause : thrown;
  const { errcode } = (cause ?? {}) as { errcode?: number };
  if (errcode === undefined && codeOf(cause) === "") return thrown as Error;
  // The low byte of an extended result code is the primary one.
  const reason = errcode === undefined ? DATA[codeOf(cause)] : SQLITE[errcode & 0xff];
  return problem(unusable(directory), reason, cause);
}

/** An error of the embedded database during a start; others stay as they are. */
export function embeddedDatabaseError(directory: string, thrown: unknown): unknown {
  const cause = thrown instanceof WharfError ? thrown.cause : thrown;
  const isOfSqlite = (cause as { errcode?: number } | undefined)?.errcode !== undefined;
  return isOfSqlite ? dataDirectoryError(directory, thrown) : thrown;
}

/** The server that uses a data directory. */
export interface DirectoryHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

export function directoryInUseError(
  directory: string,
  holder: DirectoryHolder | undefined,
  cause: unknown,
): Error {
  const known = holder && ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  const reason = `another server uses it${known ?? ""}; stop that one, or choose another directory with --data`;
  return problem(unusable(directory), reason, cause);
}

function unusable(directory: string): string {
  return `the data directory ${directory} cannot be used`;
}

/** An error of PostgreSQL, or of the connection to it. The URL can have a password, so only the hosts are shown. */
export function databaseError(hosts: string, thrown: unknown): Error {
  const cause = thrown instanceof WharfError ? thrown.cause : thrown;
  if (codeOf(cause) === "") return thrown as Error;
  const reason = codeOf(cause) === DATABASE_UNAVAILABLE ? `: ${(cause as Error).message}` : "";
  return problem(`the database at ${hosts} cannot be used${reason}`, undefined, cause);
}

function problem(what: string, reason: string | undefined, cause: unknown): Error {
  return new Error(reason === undefined ? what : `${what}: ${reason}`, { cause });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
