/** Writes HTTP responses. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { RECENT_SIGN_IN, RECENT_SIGN_IN_MS, type WharfError } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { COMPRESS_FROM_BYTES, COMPRESS_LEVEL, SLOW_CLIENT_BYTES } from "../limits.ts";
import { abandonStream, closeGracefully, hasUnreadBody } from "./discard.ts";
import type { HttpIn, HttpOut, Wire } from "./http.ts";
import { errorHeaders, NoRoute } from "./http.ts";
import { closeIfUnread } from "./idle-connections.ts";
import type { RequestContext } from "./request-context.ts";
import { statusJson } from "./status.ts";
import { type BodyChunks, sendChunks } from "./stream.ts";

export interface HttpReply {
  readonly status: number;
  /** Added to the default headers, which they override: JSON that is not cached. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body: string | Uint8Array | BodyChunks;
  /** The error behind the response, for the observer. */
  readonly error?: WharfError;
  /** For the log. */
  readonly reason?: string;
  readonly caller?: string;
}

/** An HTTP request with its context and response. */
export interface HttpContext {
  readonly wire: Wire;
  readonly context: RequestContext;
  readonly request: HttpIn;
  readonly response: HttpOut;
}

/** Writes the response and reports it to the observer. The caller has settled the context. */
export function sendReply(http: HttpContext, reply: HttpReply): void {
  const { body } = reply;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    const compressed = isCompressible(reply) && acceptsGzip(http.request);
    const headers = headersOf(http, reply, undefined, compressed);
    sendChunks(http, reply.status, headers, body, { compressed });
    return;
  }
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size >= COMPRESS_FROM_BYTES && isCompressible(reply) && acceptsGzip(http.request)) {
    zlib().gzip(body, { level: COMPRESS_LEVEL }, (error, compressed) => {
      if (error) write(http, reply, body, size, false);
      else write(http, reply, compressed, compressed.length, true);
    });
  } else write(http, reply, body, size, false);
}

/** The response to an error. */
export function errorReply({ wire, context, request }: HttpContext, error: WharfError): HttpReply {
  const headers = errorHeaders(error);
  if (error instanceof NoRoute && isNavigation(request)) {
    const page = wire.noRoutePage?.(error, context.requestId);
    if (page) {
      return {
        status: error.httpStatus,
        headers: { ...headers, ...page.headers },
        body: page.body,
        error,
      };
    }
  }
  if (error.code === "UNAUTHENTICATED") {
    const hadToken = context.authorization !== undefined;
    headers["www-authenticate"] ??= challengeOf(error, hadToken, wire.resourceMetadata?.());
  }
  const body = statusJson(error, wire.errorDomain);
  return { status: error.httpStatus, headers, body, error };
}

/**
 * RFC 6750, which allows no error without a token; RFC 9470 for a token that a new sign-in makes sufficient; RFC 9728 for
 * clients that do not know the issuer.
 */
function challengeOf(
  { detail }: WharfError,
  hadToken: boolean,
  metadata: string | undefined,
): string {
  const isOld = detail !== undefined && "reason" in detail && detail.reason === RECENT_SIGN_IN;
  const parameters = {
    ...(hadToken && { error: isOld ? "insufficient_user_authentication" : "invalid_token" }),
    ...(hadToken && isOld && { max_age: RECENT_SIGN_IN_MS / 1000 }),
    ...(metadata !== undefined && { resource_metadata: metadata }),
  };
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${written.join(", ")}`.trim();
}

/** Whether a person opened an address in a browser: API clients send other methods, or a token. */
function isNavigation({ method, headers }: HttpIn): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return (
    isRead && headers.authorization === undefined && headers.accept?.includes("text/html") === true
  );
}

function write(
  http: HttpContext,
  reply: HttpReply,
  body: string | Uint8Array,
  size: number,
  compressed: boolean,
): void {
  const { context, request, response } = http;
  const headers = headersOf(http, reply, size, compressed);
  response.writeHead(reply.status, headers);
  if (size > SLOW_CLIENT_BYTES) closeIfUnread(http);
  if (request.method === "HEAD") response.end();
  else if (headers.connection === "close" && !request.complete && size > 0) {
    writeAndClose(http, body);
  }
  // As many bytes as characters: ASCII, which needs no conversion.
  else if (typeof body === "string" && body.length === size) response.end(body, "latin1");
  else response.end(body);
  abandonStream(request);
  context.reason = reply.reason;
  if (reply.caller !== undefined) context.identify({ uid: reply.caller });
  context.finished(reply.status, reply.error?.number ?? 0, size, reply.error);
}

/** Writes a body, then closes the connection: not before, because earlier responses of it may still be sent. */
export function writeAndClose(
  { request, response, wire }: Pick<HttpContext, "request" | "response" | "wire">,
  body: string | Uint8Array,
): void {
  const close = () => closeGracefully(request as HttpIn & IncomingMessage, wire.limits.requestMs);
  response.write(body, close);
}

/** The headers of a response. The size of a chunked one is undefined. */
function headersOf(
  { wire, context, request }: HttpContext,
  reply: HttpReply,
  size: number | undefined,
  compressed: boolean,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": context.requestId,
  };
  if (size !== undefined) headers["content-length"] = size;
  if (reply.headers) Object.assign(headers, reply.headers);
  if (context.responseHeaders) Object.assign(headers, context.responseHeaders);
  if (wire.commonHeaders) Object.assign(headers, wire.commonHeaders);
  const retryAfter = DEFAULT_RETRY_AFTER[reply.status];
  if (retryAfter !== undefined) headers["retry-after"] ??= retryAfter;
  // RFC 9110 forbids these in responses without a body.
  if (reply.status === 204 || reply.status === 304) {
    delete headers["content-length"];
    delete headers["content-type"];
  }
  if (compressed) {
    headers["content-encoding"] = "gzip";
    // A strong entity tag identifies one encoding.
    if (headers.etag !== undefined) headers.etag = compressedEtag(String(headers.etag));
  }
  const { origin } = request.headers;
  if (origin !== undefined) {
    // Scripts of other origins must not read pages and the tokens in their forms.
    const isPage = context.isPage || String(headers["content-type"]).startsWith("text/html");
    if (!isPage) Object.assign(headers, wire.cors.headersFor(origin));
  }
  const compressible = size === undefined || size >= COMPRESS_FROM_BYTES || compressed;
  if (compressible || wire.cors.varies) headers.vary = varyOn(compressible, wire.cors.varies);
  if (request.httpVersionMajor > 1) delete headers.connection;
  else if (wire.draining || hasUnreadBody(request)) headers.connection = "close";
  else if (headers.connection === undefined) headers["keep-alive"] = wire.keepAlive;
  return headers;
}

/** By status: every such response has a `Retry-After`, in seconds, also if its error has none. */
const DEFAULT_RETRY_AFTER: Readonly<Record<number, string>> = { 429: "60", 503: "5" };

/** The end of entity tags of compressed responses. */
const GZIP_SUFFIX = '-gzip"';

function compressedEtag(tag: string): string {
  return tag.replace(/"$/, GZIP_SUFFIX);
}

/** The entity tag of a response without the suffix of its encoding. */
export function uncompressedEtag(tag: string): string {
  return tag.endsWith(GZIP_SUFFIX) ? `${tag.slice(0, -GZIP_SUFFIX.length)}"` : tag;
}

/** Archives are compressed already, as are files that are stored in an encoding. */
const COMPRESSED_TYPES: ReadonlySet<unknown> = new Set(["application/zip", "application/gzip"]);

function isCompressible({ headers }: HttpReply): boolean {
  // Content is sent as it is stored, with its length.
  const isFixed =
    headers?.["content-encoding"] !== undefined || headers?.["content-length"] !== undefined;
  return !isFixed && !COMPRESSED_TYPES.has(headers?.["content-type"]);
}

function varyOn(encoding: boolean, origin: boolean): string {
  if (encoding && origin) return "Accept-Encoding, Origin";
  return encoding ? "Accept-Encoding" : "Origin";
}

function acceptsGzip(request: HttpIn): boolean {
  const accepted = request.headers["accept-encoding"];
  return accepted?.includes("gzip") === true && !/gzip\s*;\s*q=0(\.0*)?\s*(,|$)/.test(accepted);
}
