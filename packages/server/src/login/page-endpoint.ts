import { WharfError } from "../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { errorHeaders } from "../wire/http.ts";
import { htmlAnswer } from "./browser.ts";
import { errorPage } from "./pages/messages.ts";

/** An endpoint whose errors are pages that people can read. */
export function pageEndpoint(
  method: string,
  path: string,
  handle: (request: HttpRequest) => Promise<HttpResponse>,
): HttpEndpoint {
  return {
    method,
    path,
    async handle(request) {
      try {
        return await handle(request);
      } catch (thrown) {
        const error = WharfError.from(thrown);
        // What is our own fault goes the usual way, into the log with its cause.
        if (error.code === "INTERNAL") throw error;
        return errorAnswer(error, request);
      }
    },
  };
}

function errorAnswer(error: WharfError, { requestId }: HttpRequest): HttpResponse {
  const props = { title: "That did not work", text: sentenceOf(error), reference: requestId };
  return htmlAnswer(error.httpStatus, errorPage(props), errorHeaders(error));
}

/** What an error says, as a sentence for people: without its code, and without names of fields. */
export function sentenceOf({ message, detail }: WharfError): string {
  const text =
    detail !== undefined && "badRequest" in detail
      ? detail.badRequest.map(({ description }) => description).join("; ")
      : message.slice(message.indexOf(": ") + 2);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
