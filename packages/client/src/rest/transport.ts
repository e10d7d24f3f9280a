import { fromJson, type JsonObject, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { CodeName } from "@wharf/contract/messages";
import { codeOfNumber, isObject, WharfError, wharfError } from "../errors.ts";
import type { Attempt, Sent, Transport } from "../transport.ts";
import type { IncomingResponse, ResponseHeaders, SendHttp } from "./http.ts";
import { httpRequest } from "./route.ts";
import { serverSentEvents } from "./server-sent-events.ts";

/**
 * Calls over REST.
 *
 * @example createWharf({ baseUrl, token, transport: restTransport(overFetch(fetch)) })
 */
export function restTransport(sendHttp: SendHttp): Transport {
  return {
    async send(attempt, sent) {
      const { verb, path, contentType, body } = httpRequest(attempt.method, attempt.request);
      const headers = contentType === undefined ? {} : { "content-type": contentType };
      const { response, text } = await exchange(attempt, { verb, path, body, headers }, sent, true);
      if (!isSuccess(response)) throw errorOf(response, text);
      return readResponse(attempt, response, text);
    },
    async *stream(attempt, sent) {
      const { method, signal, baseUrl } = attempt;
      const { verb, path } = httpRequest(method, attempt.request);
      const headers = { accept: "text/event-stream", "accept-encoding": "identity" };
      const { response } = await exchange(attempt, { verb, path, headers }, sent, false);
      try {
        if (!isSuccess(response)) throw errorOf(response, await response.text());
        for await (const { event, data } of serverSentEvents(response.chunks())) {
          if (event === "error") throw errorOf(response, data);
          yield fromJson(method.output, JSON.parse(data), { ignoreUnknownFields: true });
        }
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof WharfError) throw cause;
        throw unreachable(baseUrl, cause);
      }
    },
  };

  /** Sends a request, and reads the text of the response if it is wanted; reports what was sent. */
  async function exchange(
    { baseUrl, headers, signal }: Omit<Attempt, "timeoutMs">,
    request: HttpCall,
    sent: (how: Sent) => void,
    isWhole: boolean,
  ): Promise<{ response: IncomingResponse; text: string }> {
    const { verb: method, path, body } = request;
    const url = baseUrl + path;
    const started = performance.now();
    const report = (status: number) =>
      sent({ method, url, status, ms: performance.now() - started });
    try {
      const sending = { method, url, headers: { ...headers, ...request.headers }, body, signal };
      const response = await sendHttp(sending);
      const text = isWhole ? await response.text() : "";
      report(response.status);
      return { response, text };
    } catch (cause) {
      report(0);
      signal.throwIfAborted();
      throw unreachable(baseUrl, cause);
    }
  }
}

interface HttpCall {
  readonly verb: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

function isSuccess({ status }: IncomingResponse): boolean {
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

function readResponse({ method }: Attempt, response: IncomingResponse, text: string): Message {
  try {
    return fromJson(method.output, JSON.parse(text || "{}"), {
      ignoreUnknownFields: true,
    });
  } catch (cause) {
    throw wharfError("INTERNAL", `Internal: the response is not a ${method.output.name}`, {
      ...httpErrorContext(response.status, response.headers),
      cause,
    });
  }
}

function errorOf(response: IncomingResponse, text: string): WharfError {
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
