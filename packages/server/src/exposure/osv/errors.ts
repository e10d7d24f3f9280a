import { WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";

/** A rejected query, with what to do. */
export function invalidQuery(text: string): WharfError {
  return new WharfError("INVALID_ARGUMENT", text);
}

/** The sentence of osv.dev, which some clients compare. */
const NOT_FOUND = "Bug not found.";

/** An error in the format of osv.dev: a canonical code and a sentence. */
export function osvError(thrown: unknown): HttpResponse {
  const error = WharfError.from(thrown);
  const { retryAfterSeconds } = error;
  const message = error.code === "NOT_FOUND" ? NOT_FOUND : error.message;
  return {
    status: error.httpStatus,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(error.code === "UNAUTHENTICATED" && { "www-authenticate": 'Bearer, Basic realm="osv"' }),
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ code: error.number, message }),
    error,
  };
}
