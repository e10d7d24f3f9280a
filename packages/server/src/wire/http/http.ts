/** The common interface of HTTP/1 and HTTP/2 requests, and the state that all handlers of a port share. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { WharfError } from "../../lib/errors.ts";
import type { Methods, ResponseHeaders } from "../../rpc/call.ts";
import type { Limits } from "../limits.ts";
import type { Observer } from "../observer.ts";
import type { Connections } from "../port/connections.ts";
import type { TrustedProxies } from "../port/trusted-proxies.ts";
import type { Route } from "../rest/route.ts";
import type { Router } from "../rest/router.ts";
import type { UnsupportedApi, UnsupportedRoute } from "../unsupported.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { Cors } from "./cors.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Endpoints } from "./endpoints.ts";
import type { LoopbackHosts } from "./host.ts";
import type { UnreadReplies } from "./unread-replies.ts";

export interface HttpIn extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  /** Names and values in alternation; empty in HTTP/2, where Node.js has rejected duplicates. */
  readonly rawHeaders: readonly string[];
  /** True once the whole request has arrived. */
  readonly complete: boolean;
  /** Whether the client has ended it before its end. */
  readonly aborted: boolean;
  /** Set in HTTP/2. */
  readonly stream?: ServerHttp2Stream;
}

export interface HttpOut {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  write(body: string | Uint8Array, written?: () => void): unknown;
  end(body?: string | Uint8Array): unknown;
  end(body: string, encoding: BufferEncoding): unknown;
  /** Sends `100 Continue`. */
  writeContinue(): unknown;
  on(event: "close", listener: () => void): unknown;
  setTimeout(ms: number, onTimeout: () => void): unknown;
  destroy(): unknown;
}

/** The state of a port that its request handlers share. */
export interface Wire {
  readonly methods: Methods;
  readonly router: Router<Route | UnsupportedRoute>;
  readonly unsupported: UnsupportedApi;
  readonly endpoints: Endpoints;
  readonly limits: Limits;
  readonly connections: Connections;
  /** Enforces `limits.requestMs`. */
  readonly deadlines: Deadlines;
  /** Enforces `limits.bodyBytes`. */
  readonly bodies: BodyBudget;
  /** Enforces `limits.unreadBytes`. */
  readonly unread: UnreadReplies;
  readonly cors: Cors;
  readonly observer: Observer;
  /** Undefined if no proxy is trusted: `X-Forwarded-For` is ignored then. */
  readonly proxies: TrustedProxies | undefined;
  readonly errorDomain: string;
  readonly noRoutePage: ErrorPage | undefined;
  readonly resourceMetadata: (() => string) | undefined;
  /** Header fields of every response. */
  readonly commonHeaders: ResponseHeaders | undefined;
  /** The header `Keep-Alive` of HTTP/1: clients close idle connections before the server does. */
  readonly keepAlive: string;
  /** The allowed hosts, if the port listens on a loopback address and no proxy is trusted. */
  hosts: LoopbackHosts | undefined;
  /** True once the port drains: responses ask clients to reconnect. */
  draining: boolean;
  /** True once the port accepts no connections. */
  closing: boolean;
}

/** An error with an HTTP status more specific than that of its canonical code. */
export class HttpFault extends WharfError {
  readonly #status: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(error: WharfError, status: number, headers: OutgoingHttpHeaders = {}) {
    super(error.code, "", error.detail, error.cause);
    this.message = error.message;
    this.#status = status;
    this.headers = headers;
  }

  override get httpStatus(): number {
    return this.#status;
  }
}

/** No route matches the path, or none with this method. Browsers get a page. */
export class NoRoute extends HttpFault {}

/** The page of an error, for people who opened a path that nothing handles. */
export type ErrorPage = (
  error: NoRoute,
  requestId: string,
) => {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
};

/** The response headers of an error, such as `Retry-After`. */
export function errorHeaders(error: WharfError): OutgoingHttpHeaders {
  const { retryAfterSeconds: seconds } = error;
  const later = seconds === undefined ? {} : { "retry-after": String(seconds) };
  return error instanceof HttpFault ? { ...later, ...error.headers } : later;
}
