import { invalidArgument, WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest } from "../../wire/endpoint.ts";
import { errorHeaders } from "../../wire/http/http.ts";
import { jsonResponse } from "../browser.ts";
import { sentenceOf } from "../page-endpoint.ts";

/** A request of a script of our pages. */
export interface ScriptRequest {
  readonly http: HttpRequest;
  /** A text field; empty if it is missing. */
  text(name: string): string;
  readonly response: unknown;
}

/** The response of a passkey takes a few kilobytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** A JSON endpoint for the passkey script. Errors are sentences for the user. */
export function jsonEndpoint(
  path: string,
  handle: (request: ScriptRequest) => Promise<object>,
): HttpEndpoint {
  return {
    method: "POST",
    path,
    isPage: true,
    async handle(http) {
      try {
        return jsonResponse(await handle(await readScriptRequest(http)));
      } catch (thrown) {
        const error = WharfError.from(thrown);
        if (error.code === "INTERNAL") throw error;
        return jsonResponse({ error: sentenceOf(error) }, errorHeaders(error), error.httpStatus);
      }
    },
  };
}

/** Reads a request whose body is a JSON object. */
export async function readScriptRequest(http: HttpRequest): Promise<ScriptRequest> {
  // CSRF protection: other sites cannot send this content type without a CORS preflight.
  if (!/^application\/json\b/i.test(http.headers["content-type"] ?? "")) throw notJson();
  let body: unknown;
  try {
    body = JSON.parse((await http.body(MAX_BODY_BYTES)).toString("utf8"));
  } catch (error) {
    throw error instanceof WharfError ? error : notJson();
  }
  if (typeof body !== "object" || body === null) throw notJson();
  const fields = new Map<string, unknown>(Object.entries(body));
  return {
    http,
    response: fields.get("response"),
    text(name) {
      const value = fields.get(name);
      return typeof value === "string" ? value : "";
    },
  };
}

function notJson(): WharfError {
  return invalidArgument({ field: "", description: "the request must be a JSON object" });
}
