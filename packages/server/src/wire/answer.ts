/** Writing an answer with as few calls as HTTP needs: one head, one body, its length known. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { WharfError } from "../lib/errors.ts";
import { zlib } from "../lib/lazy-builtins.ts";
import { abandonStream, hangUpGently, leavesBody } from "./discard.ts";
import type { HttpIn, HttpOut, Wire } from "./http.ts";
import { errorHeaders } from "./http.ts";
import { COMPRESS_FROM_BYTES, COMPRESS_LEVEL, SLOW_CLIENT_BYTES } from "./limits.ts";
import type { Exchange } from "./request-context.ts";
import { statusJson } from "./status.ts";
import { type Pieces, sendPieces } from "./stream-answer.ts";

export interface Answer {
  readonly status: number;
  /** Beyond, or instead of, those of every answer: JSON that no cache may keep. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body: string | Uint8Array | Pieces;
  /** Why it failed, for the observer. */
  readonly error?: WharfError;
}

/** One request over HTTP, with where its answer goes. */
export interface Conversation {
  readonly wire: Wire;
  readonly exchange: Exchange;
  readonly request: HttpIn;
  readonly response: HttpOut;
}

/**
 * Writes the answer and reports it. The caller has settled the exchange.
 *
 * @example if (exchange.settle()) sendAnswer(conversation, { status: 200, body: "{}" });
 */
export function sendAnswer(conversation: Conversation, answer: Answer): void {
  const { body } = answer;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    const packed = isPackable(answer) && acceptsGzip(conversation.request);
    const headers = headersOf(conversation, answer, undefined, packed);
    sendPieces(conversation, answer.status, headers, body, { packed });
    return;
  }
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size >= COMPRESS_FROM_BYTES && isPackable(answer) && acceptsGzip(conversation.request)) {
    zlib().gzip(body, { level: COMPRESS_LEVEL }, (error, packed) => {
      if (error) write(conversation, answer, body, size, false);
      else write(conversation, answer, packed, packed.length, true);
    });
  } else write(conversation, answer, body, size, false);
}

/**
 * The answer that tells an error.
 *
 * @example sendAnswer(conversation, errorAnswer(conversation, notFound("Group", uid)));
 */
export function errorAnswer({ wire, exchange }: Conversation, error: WharfError): Answer {
  const headers = errorHeaders(error);
  if (error.code === "UNAUTHENTICATED") {
    const hadToken = exchange.authorization !== undefined;
    headers["www-authenticate"] = hadToken ? 'Bearer error="invalid_token"' : "Bearer";
  }
  const body = statusJson(error, wire.errorDomain);
  return { status: error.httpStatus, headers, body, error };
}

function write(
  conversation: Conversation,
  answer: Answer,
  body: string | Uint8Array,
  size: number,
  packed: boolean,
): void {
  const { wire, exchange, request, response } = conversation;
  const headers = headersOf(conversation, answer, size, packed);
  response.writeHead(answer.status, headers);
  // A client that does not read keeps the socket, and our memory, no longer than idlers may.
  if (size > SLOW_CLIENT_BYTES) {
    response.setTimeout(wire.limits.idleMs, () => response.destroy());
  }
  if (request.method === "HEAD") response.end();
  else if (headers.connection === "close" && !request.complete && size > 0) {
    response.write(body);
    hangUpGently(request as HttpIn & IncomingMessage);
  }
  // As many bytes as characters: plain ASCII, which need not be converted.
  else if (typeof body === "string" && body.length === size) response.end(body, "latin1");
  else response.end(body);
  abandonStream(request);
  exchange.finished(answer.status, answer.error?.number ?? 0, size, answer.error);
}

/** The headers of an answer; of one that goes out in pieces nobody knows the size. */
function headersOf(
  { wire, exchange, request }: Conversation,
  answer: Answer,
  size: number | undefined,
  packed: boolean,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": exchange.requestId,
  };
  if (size !== undefined) headers["content-length"] = size;
  if (answer.headers) Object.assign(headers, answer.headers);
  if (exchange.notices) Object.assign(headers, exchange.notices);
  if (wire.always) Object.assign(headers, wire.always);
  // Where there can be no body, RFC 9110 forbids these.
  if (answer.status === 204 || answer.status === 304) {
    delete headers["content-length"];
    delete headers["content-type"];
  }
  if (packed) {
    headers["content-encoding"] = "gzip";
    // The same in other bytes: a strong tag is for one of them.
    if (headers.etag !== undefined) headers.etag = packedTag(String(headers.etag));
  }
  const { origin } = request.headers;
  // Pages are for people: what their forms hold is not for the scripts of other sites.
  const isPage = String(headers["content-type"]).startsWith("text/html");
  if (origin !== undefined && !isPage) Object.assign(headers, wire.cors.headersFor(origin));
  const compressible = size === undefined || size >= COMPRESS_FROM_BYTES || packed;
  if (compressible || wire.cors.varies) headers.vary = varyOn(compressible, wire.cors.varies);
  if (request.httpVersionMajor > 1) delete headers.connection;
  else if (wire.draining || leavesBody(request)) headers.connection = "close";
  return headers;
}

/** What ends the tags of packed answers. */
const PACKED = '-gzip"';

/** @example packedTag('"a1"') // '"a1-gzip"' */
function packedTag(tag: string): string {
  return tag.replace(/"$/, PACKED);
}

/**
 * The tag of an answer, whether it went out packed or not.
 *
 * @example plainTag('"a1-gzip"') // '"a1"'
 */
export function plainTag(tag: string): string {
  return tag.endsWith(PACKED) ? `${tag.slice(0, -PACKED.length)}"` : tag;
}

/** Archives are packed already. */
function isPackable({ headers }: Answer): boolean {
  return headers?.["content-type"] !== "application/zip";
}

function varyOn(encoding: boolean, origin: boolean): string {
  if (encoding && origin) return "Accept-Encoding, Origin";
  return encoding ? "Accept-Encoding" : "Origin";
}

function acceptsGzip(request: HttpIn): boolean {
  const accepted = request.headers["accept-encoding"];
  return accepted?.includes("gzip") === true && !/gzip\s*;\s*q=0(\.0*)?\s*(,|$)/.test(accepted);
}
