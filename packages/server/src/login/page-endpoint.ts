import { WharfError } from "../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { errorHeaders } from "../wire/http/http.ts";
import { htmlResponse } from "./browser.ts";
import { errorPage, TO_SIGN_IN, TO_START } from "./pages/messages.ts";

/** An endpoint that shows its errors as HTML pages. */
export function pageEndpoint(
  method: string,
  path: string,
  handle: (request: HttpRequest) => Promise<HttpResponse>,
): HttpEndpoint {
  return {
    method,
    path,
    isPage: true,
    async handle(request) {
      try {
        return await handle(request);
      } catch (thrown) {
        const error = WharfError.from(thrown);
        // The caller logs internal errors with their cause.
        if (error.code === "INTERNAL") throw error;
        return errorAnswer(error, request);
      }
    },
  };
}

/** Headings of error pages by code. */
const TITLES: Readonly<Record<string, string>> = {
  NOT_FOUND: "Not found",
  PERMISSION_DENIED: "Access denied",
  RESOURCE_EXHAUSTED: "Too many requests",
  UNAUTHENTICATED: "Access denied",
  UNAVAILABLE: "Temporarily unavailable",
};

/** After these, people sign in again. */
const NEEDS_SIGN_IN: ReadonlySet<string> = new Set(["PERMISSION_DENIED", "UNAUTHENTICATED"]);

function errorAnswer(error: WharfError, { requestId }: HttpRequest): HttpResponse {
  const title = TITLES[error.code] ?? "Invalid request";
  const next = NEEDS_SIGN_IN.has(error.code) ? TO_SIGN_IN : TO_START;
  const body = errorPage({ title, text: sentenceOf(error), requestId, next });
  return htmlResponse(error.httpStatus, body, errorHeaders(error));
}

/** The message of an error as a sentence, without its code and without names of fields. */
export function sentenceOf({ message, detail }: WharfError): string {
  const text =
    detail !== undefined && "badRequest" in detail
      ? detail.badRequest.map(({ description }) => description).join("; ")
      : message.slice(message.indexOf(": ") + 2);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Errors that users can correct in the form that they sent. */
const FORM_ERRORS: ReadonlySet<string> = new Set(["INVALID_ARGUMENT", "ALREADY_EXISTS"]);

/** The sentence to show above a form; rethrows errors that users cannot correct there. */
export function formErrorOf(thrown: unknown): string {
  const error = WharfError.from(thrown);
  if (!FORM_ERRORS.has(error.code)) throw thrown;
  return sentenceOf(error);
}
