import { codeOf } from "./error-code.ts";
import { WharfError } from "./errors.ts";

/** Startup errors in words that say what to do. The error of the system is the cause. */

type Hints = Readonly<Record<string, string>>;

const PORT: Hints = {
  EADDRINUSE:
    "the address is in use; stop the other program, or choose another address with --listen",
  EADDRNOTAVAIL: "not an address of this machine; choose another with --listen",
  EACCES: "permission denied; choose a port of 1024 or above with --listen",
};

/** The code of the error of a worker that is to open the files of the others. */
export const DATA_FILE_REPLACED = "DATA_FILE_REPLACED";

const DATA: Hints = {
  EACCES: "permission denied; choose another directory with --data",
  EPERM: "permission denied; choose another directory with --data",
  EROFS: "the disk is read-only; choose another directory with --data",
  ENOSPC: "the disk is full; free space, then start again",
  EEXIST: "it is a file; choose another directory with --data",
  ENOTDIR: "part of the path is a file; choose another directory with --data",
  [DATA_FILE_REPLACED]: "put the file back, or restart the server",
};

/** By SQLite's primary result code. */
const SQLITE: Readonly<Record<number, string>> = {
  5: "another program has locked the database",
  8: "the database is read-only; make wharf.db and its directory writable for the user of the server",
  10: "the disk cannot be read or written",
  11: "the database is damaged; see what with `wharf admin check`, then restore a backup with `wharf admin restore`",
  13: "the disk is full; free space, then start again: nothing is lost",
  14: "the database cannot be opened; make wharf.db and its directory readable and writable for the user of the server",
  26: "wharf.db is not a database, or its beginning is damaged; restore a backup, or choose another directory with --data",
};

/** The code of an error whose message says all: which host does not answer, or is a standby. */
export const DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE";

const UNREADABLE_FILE =
  "a file named in --database-url cannot be read by the user of the server; correct sslrootcert, sslcert or sslkey";

const UNKNOWN_AUTHORITY =
  "its certificate is not from a known authority; name the file with the certificate of its authority in --database-url: sslrootcert=FILE";

/** By SQLSTATE, or the code of an error of TLS. */
const POSTGRES: Hints = {
  CERT_HAS_EXPIRED: "its certificate has expired; renew it at the database",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another host; use a name from the certificate in --database-url",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  "28000": "the user is not allowed to connect; see pg_hba.conf and --database-url",
  "28P01": "the password is wrong; correct --database-url",
  "3D000": "there is no such database; create it with CREATE DATABASE, or correct --database-url",
  "42501":
    "permission denied; the user of --database-url must own the tables, and needs GRANT USAGE, CREATE ON SCHEMA for the schema of the tables",
  "53100": "its disk is full; free space, then start again: nothing is lost",
  "53300": "it has too many connections; raise max_connections, or run fewer replicas",
};

/** A failed step of an upgrade. Its transaction was rolled back, and the work after it can be repeated. */
export class UpgradeError extends Error {
  readonly #step: string;

  constructor(step: number, of: number, cause: unknown) {
    const failed = `step ${step} of ${of} of the upgrade failed`;
    super(
      `${failed}; nothing is lost: remove the cause and start again, or restore a backup for the previous version`,
      { cause },
    );
    this.#step = failed;
  }

  /** A reason that says what to do, with the step. */
  explain(reason: string): string {
    return `${this.#step}: ${reason}`;
  }
}

export function portError(address: string, cause: unknown): Error {
  return problem(`cannot listen at ${address}`, PORT[codeOf(cause)], cause);
}

export function dataDirectoryError(directory: string, thrown: unknown): Error {
  const cause = causeOf(thrown);
  const { errcode } = (cause ?? {}) as { errcode?: number };
  // The low byte of an extended result code is the primary one.
  const reason = errcode === undefined ? DATA[codeOf(cause)] : SQLITE[errcode & 0xff];
  return explained(unusable(directory), reason, thrown);
}

/** An error of the embedded database during a start; others stay as they are. */
export function embeddedDatabaseError(directory: string, thrown: unknown): unknown {
  const cause = causeOf(thrown);
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
  const holderText = holder && ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  const reason = `another server uses it${holderText ?? ""}; stop that one, or choose another directory with --data`;
  return problem(unusable(directory), reason, cause);
}

function unusable(directory: string): string {
  return `the data directory ${directory} cannot be used`;
}

/** An error of PostgreSQL, or of the connection to it. The URL can have a password, so the text has only the hosts. */
export function databaseError(hosts: readonly string[], thrown: unknown): Error {
  const what = `the database at ${hosts.join(", ")} cannot be used`;
  const cause = causeOf(thrown);
  const code = codeOf(cause);
  if (code === DATABASE_UNAVAILABLE)
    return problem(`${what}: ${(cause as Error).message}`, undefined, cause);
  const isFile = (cause as { syscall?: string } | undefined)?.syscall === "open";
  return explained(what, isFile ? UNREADABLE_FILE : databaseHint(code), thrown);
}

/** Instructions for an error of the database; undefined if its message says all. */
export function databaseHint(code: string): string | undefined {
  return POSTGRES[code];
}

/** The error of the system behind one of ours. */
function causeOf(thrown: unknown): unknown {
  const isOurs = thrown instanceof WharfError || thrown instanceof UpgradeError;
  return isOurs ? causeOf(thrown.cause) : thrown;
}

/** An error of ours stays as it is, unless there is a reason that says more. */
function explained(what: string, reason: string | undefined, thrown: unknown): Error {
  const cause = causeOf(thrown);
  const isUpgrade = thrown instanceof UpgradeError;
  if (codeOf(cause) === "" || (isUpgrade && reason === undefined)) return thrown as Error;
  return problem(what, isUpgrade ? thrown.explain(reason as string) : reason, cause);
}

function problem(what: string, reason: string | undefined, cause: unknown): Error {
  return new Error(reason === undefined ? what : `${what}: ${reason}`, { cause });
}
