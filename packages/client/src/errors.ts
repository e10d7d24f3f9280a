/** The errors of calls: one class per code. The details that the server sends are properties. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CODES, type CodeName } from "@wharf/contract/codes";

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface PreconditionViolation {
  readonly type: string;
  readonly subject: string;
  readonly description: string;
}

export interface ResourceInfo {
  /** The domain and the type, such as `iam.wharf.internal/Group`. */
  readonly type: string;
  readonly name: string;
}

/** The context of an error besides its code and message. */
export interface ErrorContext {
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The `details` of google.rpc.Status in JSON. */
  readonly details?: readonly JsonObject[] | undefined;
  readonly cause?: unknown;
}

/**
 * A failed call. Catch the class of a code, or this one and check `code`.
 *
 * @example
 * try { await wharf.groups.get({ uid }); }
 * catch (error) { if (error instanceof NotFoundError) console.log(error.resource?.name); else throw error; }
 */
export class WharfError extends Error {
  /** The canonical name, such as `NOT_FOUND`. */
  readonly code: CodeName;
  /** The number of the code in gRPC. */
  readonly number: number;
  /** The HTTP status, or the one of the code if there was no HTTP response. */
  readonly httpStatus: number;
  readonly reason: string;
  readonly domain: string;
  readonly fieldViolations: readonly FieldViolation[];
  readonly preconditionViolations: readonly PreconditionViolation[];
  readonly resource: ResourceInfo | undefined;
  /** The ID of the request in the server's log; undefined if there was no response. */
  readonly requestId: string | undefined;
  /** The `Retry-After` of the server. */
  readonly retryAfterMs: number | undefined;

  constructor(code: CodeName, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = `${pascal(code)}Error`;
    this.code = code;
    this.number = CODES[code].number;
    this.httpStatus = context.httpStatus ?? CODES[code].http;
    this.requestId = context.requestId;
    this.retryAfterMs = context.retryAfterMs;
    const details = context.details ?? [];
    const info = detail(details, "google.rpc.ErrorInfo");
    this.reason = text(info?.reason);
    this.domain = text(info?.domain);
    const fields = detail(details, "google.rpc.BadRequest")?.fieldViolations;
    this.fieldViolations = objects(fields).map((one) => ({
      field: text(one.field),
      description: text(one.description),
    }));
    const violations = detail(details, "google.rpc.PreconditionFailure")?.violations;
    this.preconditionViolations = objects(violations).map((one) => ({
      type: text(one.type),
      subject: text(one.subject),
      description: text(one.description),
    }));
    const resource = detail(details, "google.rpc.ResourceInfo");
    this.resource = resource && {
      type: text(resource.resourceType),
      name: text(resource.resourceName),
    };
  }
}

export class CancelledError extends WharfError {
  declare readonly code: "CANCELLED";
}
export class UnknownError extends WharfError {
  declare readonly code: "UNKNOWN";
}
export class InvalidArgumentError extends WharfError {
  declare readonly code: "INVALID_ARGUMENT";
}
export class DeadlineExceededError extends WharfError {
  declare readonly code: "DEADLINE_EXCEEDED";
}
export class NotFoundError extends WharfError {
  declare readonly code: "NOT_FOUND";
}
export class AlreadyExistsError extends WharfError {
  declare readonly code: "ALREADY_EXISTS";
}
export class PermissionDeniedError extends WharfError {
  declare readonly code: "PERMISSION_DENIED";
}
export class ResourceExhaustedError extends WharfError {
  declare readonly code: "RESOURCE_EXHAUSTED";
}
export class FailedPreconditionError extends WharfError {
  declare readonly code: "FAILED_PRECONDITION";
}
export class AbortedError extends WharfError {
  declare readonly code: "ABORTED";
}
export class OutOfRangeError extends WharfError {
  declare readonly code: "OUT_OF_RANGE";
}
export class UnimplementedError extends WharfError {
  declare readonly code: "UNIMPLEMENTED";
}
export class InternalError extends WharfError {
  declare readonly code: "INTERNAL";
}
export class UnavailableError extends WharfError {
  declare readonly code: "UNAVAILABLE";
}
export class DataLossError extends WharfError {
  declare readonly code: "DATA_LOSS";
}
export class UnauthenticatedError extends WharfError {
  declare readonly code: "UNAUTHENTICATED";
}

const CLASSES = {
  CANCELLED: CancelledError,
  UNKNOWN: UnknownError,
  INVALID_ARGUMENT: InvalidArgumentError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXISTS: AlreadyExistsError,
  PERMISSION_DENIED: PermissionDeniedError,
  RESOURCE_EXHAUSTED: ResourceExhaustedError,
  FAILED_PRECONDITION: FailedPreconditionError,
  ABORTED: AbortedError,
  OUT_OF_RANGE: OutOfRangeError,
  UNIMPLEMENTED: UnimplementedError,
  INTERNAL: InternalError,
  UNAVAILABLE: UnavailableError,
  DATA_LOSS: DataLossError,
  UNAUTHENTICATED: UnauthenticatedError,
} as const satisfies { readonly [Code in CodeName]: new (...args: never) => { code: Code } };

/**
 * Creates the error of a code.
 *
 * @example throw wharfError("UNAVAILABLE", "the server cannot be reached", { cause });
 */
export function wharfError(code: CodeName, message: string, context?: ErrorContext): WharfError {
  return new CLASSES[code](code, message, context);
}

/**
 * The name of a code by its number; undefined if unknown.
 *
 * @example codeOfNumber(5) // "NOT_FOUND"
 */
export function codeOfNumber(number: number): CodeName | undefined {
  return BY_NUMBER.get(number);
}

const BY_NUMBER = new Map(
  Object.entries(CODES).map(([name, { number }]) => [number as number, name as CodeName]),
);

/** `NOT_FOUND` → `NotFound`. */
function pascal(code: CodeName): string {
  const words = code.toLowerCase().split("_");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function detail(details: readonly JsonObject[], type: string): JsonObject | undefined {
  return details.find((one) => one["@type"] === `type.googleapis.com/${type}`);
}

/** Malformed details are ignored. */
function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
