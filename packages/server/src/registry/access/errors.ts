import { WharfError } from "../../lib/errors.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { errorHeaders } from "../../wire/http.ts";

/** The error codes of the OCI distribution specification. */
const OCI_CODES: Readonly<Record<string, string>> = {
  NOT_FOUND: "NAME_UNKNOWN",
  UNAUTHENTICATED: "UNAUTHORIZED",
  PERMISSION_DENIED: "DENIED",
  RESOURCE_EXHAUSTED: "TOOMANYREQUESTS",
  UNAVAILABLE: "UNAVAILABLE",
};

/** An error response in the format of registries. Internal errors are rethrown for the general handler. */
export function registryError(thrown: unknown, realm: string): HttpResponse {
  const error = WharfError.from(thrown);
  if (error.code === "INTERNAL") throw error;
  const code = OCI_CODES[error.code] ?? "UNSUPPORTED";
  // Without the name of the code, which the status replaces.
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
