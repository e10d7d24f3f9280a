import type { OutgoingHttpHeaders } from "node:http";
import { QUOTA_VIOLATION } from "../../engine/quotas.ts";
import { type CodeName, WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders, HttpFault } from "../../wire/http/http.ts";

/** The error codes of the OCI distribution specification. */
const OCI_CODES: Readonly<Record<string, string>> = {
  NOT_FOUND: "NAME_UNKNOWN",
  UNAUTHENTICATED: "UNAUTHORIZED",
  PERMISSION_DENIED: "DENIED",
  FAILED_PRECONDITION: "DENIED",
  DATA_LOSS: "UNKNOWN",
  RESOURCE_EXHAUSTED: "TOOMANYREQUESTS",
  UNAVAILABLE: "UNAVAILABLE",
  DEADLINE_EXCEEDED: "UNAVAILABLE",
  UNKNOWN: "UNKNOWN",
};

/** By status, where it says more than the code. */
const OCI_STATUSES: Readonly<Record<number, string>> = { 413: "SIZE_INVALID", 507: "UNAVAILABLE" };

/** The errors of the distribution specification that say more than a canonical code, with their status. */
const FAULTS = {
  BLOB_UNKNOWN: ["NOT_FOUND", 404],
  BLOB_UPLOAD_INVALID: ["INVALID_ARGUMENT", 400],
  BLOB_UPLOAD_UNKNOWN: ["NOT_FOUND", 404],
  DIGEST_INVALID: ["INVALID_ARGUMENT", 400],
  MANIFEST_BLOB_UNKNOWN: ["NOT_FOUND", 404],
  MANIFEST_INVALID: ["INVALID_ARGUMENT", 400],
  MANIFEST_UNKNOWN: ["NOT_FOUND", 404],
  NAME_INVALID: ["INVALID_ARGUMENT", 400],
  NAME_UNKNOWN: ["NOT_FOUND", 404],
  RANGE_INVALID: ["OUT_OF_RANGE", 416],
  SIZE_INVALID: ["INVALID_ARGUMENT", 400],
  UNSUPPORTED: ["UNIMPLEMENTED", 405],
} as const satisfies Record<string, readonly [CodeName, number]>;

/** An error of the registry. */
export class RegistryFault extends HttpFault {
  readonly ociCode: string;

  constructor(ociCode: keyof typeof FAULTS, text: string, headers: OutgoingHttpHeaders = {}) {
    const [code, status] = FAULTS[ociCode];
    super(new WharfError(code, text), status, headers);
    this.ociCode = ociCode;
  }
}

/** An error response in the format of registries. Internal errors are rethrown for the general handler. */
export function registryError(thrown: unknown, realm: string): HttpResponse {
  const error = WharfError.from(thrown);
  if (error.code === "INTERNAL") throw error;
  const code =
    error instanceof RegistryFault
      ? error.ociCode
      : (OCI_STATUSES[error.httpStatus] ?? OCI_CODES[error.code] ?? "UNSUPPORTED");
  // Without the name of the code, which the status replaces.
  const message = error.message.slice(error.message.indexOf(": ") + 2);
  return {
    status: statusOf(error),
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...errorHeaders(error),
      ...(error.code === "UNAUTHENTICATED" && { "www-authenticate": `Basic realm="${realm}"` }),
    },
    body: JSON.stringify({ errors: [{ code, message, detail: null }] }),
    error,
  };
}

/** A state that forbids it, such as a tag that must not move, is no malformed request. */
function statusOf({ code, detail, httpStatus }: WharfError): number {
  if (code !== "FAILED_PRECONDITION") return httpStatus;
  const violations =
    detail !== undefined && "preconditionFailure" in detail ? detail.preconditionFailure : [];
  return violations.some(({ type }) => type === QUOTA_VIOLATION) ? 403 : 409;
}
