import type { OutgoingHttpHeaders } from "node:http";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders, HttpFault } from "../../wire/http/http.ts";
import { readParameters } from "../../wire/http/parameters.ts";

const PATH = "/oauth/token";

/** A form has two tokens at most. */
const MAX_BODY_BYTES = 64 * 1024;

/** A handler of a grant type: gets the form, returns an OAuth token response. */
export type OAuthGrant = (form: URLSearchParams, request: HttpRequest) => Promise<object>;

/** The OAuth 2.0 token endpoint, with its handlers by grant type. */
export function oauthTokenEndpoint(grants: ReadonlyMap<string, OAuthGrant>): HttpEndpoint {
  return {
    method: "POST",
    path: PATH,
    handle: oauthHandler(async (form, request) => {
      const grant = grants.get(form.get("grant_type") ?? "");
      if (grant !== undefined) return grant(form, request);
      const known = [...grants.keys()].join(", ");
      throw new OAuthError("unsupported_grant_type", `grant_type must be one of ${known}`);
    }),
  };
}

/** Handles a form and responds as OAuth 2.0 specifies, including errors. */
export function oauthHandler(work: OAuthGrant): HttpEndpoint["handle"] {
  return async (request) => {
    try {
      const form = readParameters(await request.body(MAX_BODY_BYTES));
      return answer(200, await work(form, request));
    } catch (thrown) {
      return errorResponse(WharfError.from(thrown));
    }
  };
}

export class OAuthError extends WharfError {
  readonly errorCode: string;

  constructor(errorCode: string, text: string) {
    super("INVALID_ARGUMENT", text);
    this.errorCode = errorCode;
  }
}

export function invalidParameter(field: string, description: string): WharfError {
  return invalidArgument({ field, description: `${field} ${description}` });
}

function errorResponse(error: WharfError): HttpResponse {
  if (error.code === "INTERNAL") throw error;
  const byCode: Record<string, string> = {
    PERMISSION_DENIED: "invalid_grant",
    UNAUTHENTICATED: "invalid_grant",
    RESOURCE_EXHAUSTED: "temporarily_unavailable",
    UNAVAILABLE: "temporarily_unavailable",
  };
  const errorCode =
    error instanceof OAuthError ? error.errorCode : (byCode[error.code] ?? "invalid_request");
  const body = { error: errorCode, error_description: error.message };
  const isTemporary = error.code === "UNAVAILABLE" || error.code === "RESOURCE_EXHAUSTED";
  const status = isTemporary || error instanceof HttpFault ? error.httpStatus : 400;
  return answer(status, body, errorHeaders(error));
}

function answer(status: number, body: object, headers: OutgoingHttpHeaders = {}): HttpResponse {
  return {
    status,
    headers: { "cache-control": "no-store", pragma: "no-cache", ...headers },
    body: JSON.stringify(body),
  };
}
