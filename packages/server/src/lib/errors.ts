/**
 * The error class of the server and the constructors of the common errors.
 *
 * An error has a canonical code, a message and typed details; the wire layer turns it into a REST body or
 * gRPC trailers. The cause is for the log and never leaves the process.
 */

import { capabilityFromName, isInternalOnly } from "@wharf/contract";
import { CODES, type CodeName } from "@wharf/contract/messages";

export type { CodeName };

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface PreconditionViolation {
  readonly type: string;
  readonly subject?: string;
  readonly description: string;
}

export interface ResourceInfo {
  /** The kind of resource, such as `Group`. */
  readonly type: string;
  readonly name: string;
}

/** An entry of the details; ErrorInfo is added to every error when it is written out. */
export type ErrorDetail =
  /** The reason in ErrorInfo, where the code does not say enough. */
  | { readonly reason: string }
  | { readonly badRequest: readonly FieldViolation[] }
  | { readonly preconditionFailure: readonly PreconditionViolation[] }
  | { readonly resourceInfo: ResourceInfo }
  | { readonly retryAfterSeconds: number };

export class WharfError extends Error {
  override readonly name = "WharfError";
  readonly code: CodeName;
  readonly detail: ErrorDetail | undefined;

  constructor(code: CodeName, text: string, detail?: ErrorDetail, cause?: unknown) {
    super(`${CODES[code].words}: ${text}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
  }

  /** The number that gRPC and the REST body carry. */
  get number(): number {
    return CODES[this.code].number;
  }

  get httpStatus(): number {
    return CODES[this.code].http;
  }

  /** When the caller may retry; undefined if that alone does not help. */
  get retryAfterSeconds(): number | undefined {
    const { detail } = this;
    if (detail !== undefined && "retryAfterSeconds" in detail) return detail.retryAfterSeconds;
    return this.code === "UNAVAILABLE" ? RETRY_AFTER_SECONDS : undefined;
  }

  /**
   * Turns anything thrown into an error for the caller. An unknown error becomes INTERNAL without details;
   * the original is the cause, for the log.
   */
  static from(thrown: unknown): WharfError {
    if (thrown instanceof WharfError) return thrown;
    return new WharfError("INTERNAL", "unexpected server error", undefined, thrown);
  }
}

/** When clients may retry, unless the error says otherwise: soon enough to recover, late enough not to add load. */
const RETRY_AFTER_SECONDS = 5;

/** The reason in ErrorInfo where the token is valid, but the sign-in in the browser too long ago. */
export const RECENT_SIGN_IN = "RECENT_SIGN_IN_REQUIRED";

/** Maximum age of a recent sign-in in a browser. */
export const RECENT_SIGN_IN_MS = 15 * 60_000;

/** A request with invalid fields. */
export function invalidArgument(...violations: FieldViolation[]): WharfError {
  const listed = violations.slice(0, MAX_VIOLATIONS).map(({ field, description }) => ({
    field: truncated(field, MAX_FIELD_LENGTH),
    description: truncated(description, MAX_DESCRIPTION_LENGTH),
  }));
  const text = listed.map((v) => (v.field ? `${v.field}: ${v.description}` : v.description));
  return new WharfError("INVALID_ARGUMENT", text.join("; "), { badRequest: listed });
}

/**
 * Descriptions quote the request, which can be as long as requests may be; without these limits the
 * response would be several times longer.
 */
const MAX_VIOLATIONS = 200;
const MAX_FIELD_LENGTH = 512;
const MAX_DESCRIPTION_LENGTH = 4_096;

function truncated(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}

/** Maps the field violations of an error, such as to other field names; other errors stay as they are. */
export function mapViolations(
  thrown: unknown,
  map: (one: FieldViolation) => FieldViolation,
): unknown {
  if (!(thrown instanceof WharfError) || thrown.detail === undefined) return thrown;
  if (!("badRequest" in thrown.detail)) return thrown;
  return invalidArgument(...thrown.detail.badRequest.map(map));
}

/** The state of the resource does not allow the call. */
export function failedPrecondition(...violations: PreconditionViolation[]): WharfError {
  const text = violations.map((v) => v.description).join("; ");
  return new WharfError("FAILED_PRECONDITION", text, { preconditionFailure: violations });
}

export function notFound(type: string, name: string): WharfError {
  const text = `${type} ${JSON.stringify(name)} does not exist`;
  return new WharfError("NOT_FOUND", text, { resourceInfo: { type, name } });
}

export function alreadyExists(type: string, name: string): WharfError {
  const text = `${type} ${JSON.stringify(name)} exists`;
  return new WharfError("ALREADY_EXISTS", text, { resourceInfo: { type, name } });
}

/** The resource has changed since the caller read it. */
export function aborted(text: string): WharfError {
  return new WharfError("ABORTED", text);
}

/** A dry run would be more than one transaction: it could not be rolled back as a whole. */
export function tooLargeToTry(): WharfError {
  const description = "this deletes too much for one transaction, and cannot be tried";
  return failedPrecondition({ type: "DRY_RUN_TOO_LARGE", description });
}

/** The caller lacks capabilities at a scope; it is empty where any scope would do. */
export class PermissionDeniedError extends WharfError {
  readonly scope: string;

  constructor(text: string, scope: string) {
    super("PERMISSION_DENIED", text);
    this.scope = scope;
  }
}

/** The caller lacks capabilities. Names them, but not whether the resource exists. */
export function permissionDenied(
  capabilities: readonly string[],
  uid: string,
): PermissionDeniedError {
  const where = uid === "" ? "anywhere" : `at ${JSON.stringify(uid)}`;
  const named = capabilities.slice(0, MAX_NAMED_CAPABILITIES).join(", ");
  const others = capabilities.length - MAX_NAMED_CAPABILITIES;
  const all = others > 0 ? `${named} and ${others} more` : named;
  // No role grants these, so no owner can help.
  const reserved = capabilities.filter((name) => isInternalOnly(capabilityFromName(name) ?? 0));
  const holder = reserved.length > 0 ? `; ${reserved.join(", ")} takes the operator's token` : "";
  return new PermissionDeniedError(`needs ${all} ${where}${holder}`, uid);
}

/** Messages must fit into headers. */
const MAX_NAMED_CAPABILITIES = 8;

/** The call has no token, or an invalid one. */
export function unauthenticated(reason: string): WharfError {
  return new WharfError("UNAUTHENTICATED", reason);
}

export function tooLong(what: string, bytes: number): WharfError {
  return new WharfError("RESOURCE_EXHAUSTED", `${what} is longer than ${bytes} bytes`);
}

/** The caller, or all callers together, do too much at once. */
export function tooMany(text: string, retryAfterSeconds = RETRY_AFTER_SECONDS): WharfError {
  return new WharfError("RESOURCE_EXHAUSTED", text, { retryAfterSeconds });
}

/** A method of the public contract that this server does not support. */
export function unsupported(what: string): WharfError {
  return new WharfError("UNIMPLEMENTED", `${what} is not supported by this server`);
}

export function unimplemented(what: string): WharfError {
  return new WharfError("UNIMPLEMENTED", `${what} is not implemented`);
}
