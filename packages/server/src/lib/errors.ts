/**
 * The one error class of the server and the catalogue of everything it can say to a caller.
 *
 * An error knows its canonical code, its message and its typed details; the wire layer turns it
 * into a REST body or gRPC trailers. The cause is for the log and never leaves the process.
 */

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
  /** The kind of thing, such as `Group`. */
  readonly type: string;
  readonly name: string;
}

/** What a details entry can be; ErrorInfo is added to every error when it is written out. */
export type ErrorDetail =
  | { readonly badRequest: readonly FieldViolation[] }
  | { readonly preconditionFailure: readonly PreconditionViolation[] }
  | { readonly resourceInfo: ResourceInfo };

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

  /**
   * Turns anything thrown into an error that may be shown. What is not ours becomes INTERNAL with
   * nothing but the word; the original is kept as the cause for the log.
   *
   * @example
   * try { … } catch (thrown) { reply(WharfError.from(thrown)); }
   */
  static from(thrown: unknown): WharfError {
    if (thrown instanceof WharfError) return thrown;
    return new WharfError("INTERNAL", "something went wrong on our side", undefined, thrown);
  }
}

/** When to try again what is unavailable: soon enough to notice, late enough not to make it worse. */
export const RETRY_AFTER_SECONDS = "5";

/**
 * A request whose fields cannot be accepted.
 *
 * @example throw invalidArgument({ field: "name", description: "name is required" });
 */
export function invalidArgument(...violations: FieldViolation[]): WharfError {
  const told = violations.slice(0, MOST_VIOLATIONS).map(({ field, description }) => ({
    field: shortened(field, LONGEST_FIELD),
    description: shortened(description, LONGEST_DESCRIPTION),
  }));
  const text = told.map((v) => (v.field ? `${v.field}: ${v.description}` : v.description));
  return new WharfError("INVALID_ARGUMENT", text.join("; "), { badRequest: told });
}

/**
 * What is wrong is told in words of the request, which anyone can make as long as a request may be;
 * answers that repeat it would be several times that.
 */
const MOST_VIOLATIONS = 200;
const LONGEST_FIELD = 512;
const LONGEST_DESCRIPTION = 4_096;

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}

/**
 * The same refusal, with its fields told otherwise. What names no field stays as it is.
 *
 * @example throw retold(thrown, (violation) => ({ ...violation, field: `group.${violation.field}` }));
 */
export function retold(thrown: unknown, tell: (one: FieldViolation) => FieldViolation): unknown {
  if (!(thrown instanceof WharfError) || thrown.detail === undefined) return thrown;
  if (!("badRequest" in thrown.detail)) return thrown;
  return invalidArgument(...thrown.detail.badRequest.map(tell));
}

/**
 * The state of things does not allow the call.
 *
 * @example throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos" });
 */
export function failedPrecondition(...violations: PreconditionViolation[]): WharfError {
  const text = violations.map((v) => v.description).join("; ");
  return new WharfError("FAILED_PRECONDITION", text, { preconditionFailure: violations });
}

/**
 * @example throw notFound("Group", uid);
 */
export function notFound(type: string, name: string): WharfError {
  const text = `${type} ${JSON.stringify(name)} does not exist`;
  return new WharfError("NOT_FOUND", text, { resourceInfo: { type, name } });
}

/**
 * @example throw alreadyExists("AccountAssociation", uid);
 */
export function alreadyExists(type: string, name: string): WharfError {
  const text = `${type} ${JSON.stringify(name)} exists`;
  return new WharfError("ALREADY_EXISTS", text, { resourceInfo: { type, name } });
}

/**
 * The thing has changed since the caller looked at it.
 *
 * @example throw aborted("the etag is not the present one");
 */
export function aborted(text: string): WharfError {
  return new WharfError("ABORTED", text);
}

/**
 * The caller is known and may not. Says what is missing, never whether the thing exists.
 *
 * @example throw permissionDenied(["groups.update"], uid);
 */
export function permissionDenied(capabilities: readonly string[], uid: string): WharfError {
  const where = uid === "" ? "anywhere" : `at ${JSON.stringify(uid)}`;
  const named = capabilities.slice(0, NAMED_AT_MOST).join(", ");
  const others = capabilities.length - NAMED_AT_MOST;
  const all = others > 0 ? `${named} and ${others} more` : named;
  return new WharfError("PERMISSION_DENIED", `needs ${all} ${where}`);
}

/** Whoever lacks a whole role is not helped by a hundred names, and messages must fit into headers. */
const NAMED_AT_MOST = 8;

/**
 * Nobody is known to be calling: no token, or one that cannot be accepted.
 *
 * @example throw unauthenticated("the token has expired");
 */
export function unauthenticated(reason: string): WharfError {
  return new WharfError("UNAUTHENTICATED", reason);
}

/**
 * @example throw tooLong("the list", 64 * 1024 * 1024);
 */
export function tooLong(what: string, bytes: number): WharfError {
  return new WharfError("RESOURCE_EXHAUSTED", `${what} is longer than ${bytes} bytes`);
}

/** A part of the public API that this server does not implement. */
export function unsupported(what: string): WharfError {
  return new WharfError("UNIMPLEMENTED", `${what} is not supported by this server`);
}

/**
 * @example throw unimplemented("wharf.registry.v2beta1.ReposService/ListRepos");
 */
export function unimplemented(what: string): WharfError {
  return new WharfError("UNIMPLEMENTED", `${what} is not implemented`);
}
