import type { OutgoingHttpHeaders } from "node:http";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders, HttpFault } from "../../wire/http.ts";
import { readParameters } from "../../wire/parameters.ts";

const PATH = "/oauth/token";

/** A form holds two tokens at most. */
const MOST_BYTES = 64 * 1024;

/** One way to get a token: reads a form, and answers with what OAuth calls a token response. */
export type Grant = (form: URLSearchParams, request: HttpRequest) => Promise<object>;

/** The token endpoint of OAuth 2, with the grants that are given by their types. */
export function oauthTokenEndpoint(grants: ReadonlyMap<string, Grant>): HttpEndpoint {
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

/** Reads a form, and answers in the words of OAuth, also when something is wrong. */
export function oauthHandler(work: Grant): HttpEndpoint["handle"] {
  return async (request) => {
    try {
      const form = readParameters(await request.body(MOST_BYTES));
      return answer(200, await work(form, request));
    } catch (thrown) {
      return refusal(WharfError.from(thrown));
    }
  };
}

/** An error that OAuth has a word of its own for. */
export class OAuthError extends WharfError {
  readonly word: string;

  constructor(word: string, text: string) {
    super("INVALID_ARGUMENT", text);
    this.word = word;
  }
}

export function badField(field: string, description: string): WharfError {
  return invalidArgument({ field, description: `${field} ${description}` });
}

function refusal(error: WharfError): HttpResponse {
  if (error.code === "INTERNAL") throw error;
  const byCode: Record<string, string> = {
    PERMISSION_DENIED: "invalid_grant",
    UNAUTHENTICATED: "invalid_grant",
    RESOURCE_EXHAUSTED: "temporarily_unavailable",
    UNAVAILABLE: "temporarily_unavailable",
  };
  const word = error instanceof OAuthError ? error.word : (byCode[error.code] ?? "invalid_request");
  const body = { error: word, error_description: error.message };
  const isLater = error.code === "UNAVAILABLE" || error.code === "RESOURCE_EXHAUSTED";
  const status = isLater || error instanceof HttpFault ? error.httpStatus : 400;
  return answer(status, body, errorHeaders(error));
}

function answer(status: number, body: object, headers: OutgoingHttpHeaders = {}): HttpResponse {
  return {
    status,
    headers: { "cache-control": "no-store", pragma: "no-cache", ...headers },
    body: JSON.stringify(body),
  };
}
