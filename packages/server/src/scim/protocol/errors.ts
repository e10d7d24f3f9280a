import { type CodeName, WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders } from "../../wire/http/http.ts";

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The error types of RFC 7644. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** An error with a SCIM status and type. */
export class ScimError extends WharfError {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    text: string,
    { scimType, ...headers }: { scimType?: ScimType } & Readonly<Record<string, string>> = {},
  ) {
    super(CODE_OF[status] ?? "INVALID_ARGUMENT", text);
    this.status = status;
    this.scimType = scimType;
    this.headers = headers;
  }
}

/** The canonical codes for logs and metrics. */
const CODE_OF: Readonly<Record<number, CodeName>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  412: "ABORTED",
};

export function badRequest(scimType: ScimType, text: string): ScimError {
  return new ScimError(400, text, { scimType });
}

export function resourceNotFound(kind: string, id: string): ScimError {
  return new ScimError(404, `${kind} ${JSON.stringify(id)} does not exist`);
}

/** The SCIM response of an error. Internal errors are rethrown. */
export function errorResponse(thrown: unknown): HttpResponse {
  const error = WharfError.from(thrown);
  if (error.code === "INTERNAL") throw error;
  const own = error instanceof ScimError ? error : undefined;
  const status = own?.status ?? error.httpStatus;
  return {
    status,
    headers: {
      "content-type": "application/scim+json",
      ...errorHeaders(error),
      ...own?.headers,
    },
    body: JSON.stringify({
      schemas: [ERROR_SCHEMA],
      status: String(status),
      ...(own?.scimType && { scimType: own.scimType }),
      // Without the code, which the status expresses.
      detail: error.message.slice(error.message.indexOf(": ") + 2),
    }),
    error,
  };
}
