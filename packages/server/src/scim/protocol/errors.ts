import { type CodeName, WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders } from "../../wire/http.ts";

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** What RFC 7644 calls the ways in which a request can be wrong. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** An error that SCIM has a word, or a status, of its own for. */
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

/** The canonical codes that logs and metrics show. */
const CODE_OF: Readonly<Record<number, CodeName>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  412: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
};

/** A request that cannot be accepted. */
export function badRequest(scimType: ScimType, text: string): ScimError {
  return new ScimError(400, text, { scimType });
}

export function noResource(kind: string, id: string): ScimError {
  return new ScimError(404, `${kind} ${JSON.stringify(id)} does not exist`);
}

/**
 * The answer that tells an error as SCIM does. What went wrong on our side is told as everywhere.
 */
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
      // Without the words for the code: the status says that.
      detail: error.message.slice(error.message.indexOf(": ") + 2),
    }),
    error,
  };
}
