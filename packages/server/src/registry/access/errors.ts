import { WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders } from "../../wire/http.ts";

/** The words that the OCI distribution specification has for what can be wrong. */
const WORDS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: "UNAUTHORIZED",
  PERMISSION_DENIED: "DENIED",
  RESOURCE_EXHAUSTED: "TOOMANYREQUESTS",
  UNAVAILABLE: "UNAVAILABLE",
};

/**
 * The answer that tells an error as registries do. What went wrong on our side is told as everywhere.
 *
 * @example catch (thrown) { return registryError(thrown, `${authUrl}/token`); }
 */
export function registryError(thrown: unknown, realm: string): HttpResponse {
  const error = WharfError.from(thrown);
  if (error.code === "INTERNAL") throw error;
  const code = WORDS[error.code] ?? "UNSUPPORTED";
  // Without the words for the code: the status says that.
  const message = error.message.slice(error.message.indexOf(": ") + 2);
  return {
    status: error.httpStatus,
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
