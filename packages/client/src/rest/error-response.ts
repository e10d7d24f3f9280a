import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CodeName } from "@wharf/contract/codes";
import { codeOfNumber, isObject, type WharfError, wharfError } from "../errors.ts";
import type { IncomingResponse, ResponseHeaders } from "./http.ts";

/** @example if (!isSuccess(response)) throw errorOf(response, await response.text()); */
export function isSuccess({ status }: IncomingResponse): boolean {
  return status >= 200 && status <= 299;
}

/**
 * The error of a call without a response.
 *
 * @example throw unreachable("https://wharf.example.com", cause);
 */
export function unreachable(baseUrl: string, cause: unknown): WharfError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const why = inner instanceof Error && inner.message !== "" ? `: ${inner.message}` : "";
  return wharfError("UNAVAILABLE", `Unavailable: no response from ${baseUrl}${why}`, { cause });
}

/**
 * The error of a response, of the server or of a proxy before it.
 *
 * @example throw errorOf(response, await response.text());
 */
export function errorOf(response: IncomingResponse, text: string): WharfError {
  const status = readStatus(text);
  const context = httpErrorContext(response.status, response.headers);
  const code = codeOfNumber(Number(status?.code));
  if (status && code) {
    const details = Array.isArray(status.details) ? status.details.filter(isObject) : [];
    return wharfError(code, String(status.message ?? ""), { ...context, details });
  }
  // Not an error of the server, but of a proxy.
  const guessed = BY_HTTP_STATUS[response.status] ?? "UNKNOWN";
  const name = response.statusText === "" ? "" : ` ${response.statusText}`;
  return wharfError(guessed, `HTTP ${response.status}${name}`, context);
}

function readStatus(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The codes of HTTP errors of proxies. */
const BY_HTTP_STATUS: Readonly<Record<number, CodeName>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "RESOURCE_EXHAUSTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * The context of an error from the headers of a response.
 *
 * @example wharfError("UNAVAILABLE", message, httpErrorContext(response.status, response.headers))
 */
export function httpErrorContext(httpStatus: number | undefined, headers: ResponseHeaders) {
  const after = headers.get("retry-after");
  return {
    httpStatus,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: after === null ? undefined : waitOf(after),
  };
}

/** Seconds, or a date. */
function waitOf(after: string): number | undefined {
  const ms = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
