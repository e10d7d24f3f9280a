/** What HTTP/1 and HTTP/2 requests have in common, as far as REST, gRPC-Web and endpoints care. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { RETRY_AFTER_SECONDS, WharfError } from "../lib/errors.ts";
import type { Methods, ResponseHeaders } from "../rpc/call.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { Connections } from "./connections.ts";
import type { Cors } from "./cors.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Unread } from "./grpc/unread.ts";
import type { LoopbackHosts } from "./host.ts";
import type { Limits } from "./limits.ts";
import type { Observer } from "./observer.ts";
import type { Route } from "./rest/route.ts";
import type { Router } from "./rest/router.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import type { UnsupportedApi, UnsupportedRoute } from "./unsupported.ts";

export interface HttpIn extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  /** Names and values as they came; empty over HTTP/2, where duplicates were dealt with before. */
  readonly rawHeaders: readonly string[];
  /** True once all that the client had to say has come. */
  readonly complete: boolean;
  /** Over HTTP/2. */
  readonly stream?: ServerHttp2Stream;
}

export interface HttpOut {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  write(body: string | Uint8Array): unknown;
  end(body?: string | Uint8Array): unknown;
  end(body: string, encoding: BufferEncoding): unknown;
  /** Asks a client that waits for it to send its body. */
  writeContinue(): unknown;
  on(event: "close", listener: () => void): unknown;
  setTimeout(ms: number, late: () => void): unknown;
  destroy(): unknown;
}

/** Everything a request handler of the port works with. */
export interface Wire {
  readonly methods: Methods;
  readonly router: Router<Route | UnsupportedRoute>;
  readonly unsupported: UnsupportedApi;
  readonly endpoints: Endpoints;
  readonly limits: Limits;
  readonly connections: Connections;
  /** The clock of `limits.requestMs`. */
  readonly deadlines: Deadlines;
  /** What `limits.bodyBytes` is about. */
  readonly bodies: BodyBudget;
  /** What `limits.unreadBytes` is about. */
  readonly unread: Unread;
  readonly cors: Cors;
  readonly observer: Observer;
  /** None in front of most servers, which then look at no header for it. */
  readonly proxies: TrustedProxies | undefined;
  readonly errorDomain: string;
  /** Header fields of every answer. */
  readonly commonHeaders: ResponseHeaders | undefined;
  /** What it answers to, where it listens on a loopback address and no proxy is configured. */
  hosts: LoopbackHosts | undefined;
  /** True once the port is closing: answers then ask clients to connect anew. */
  draining: boolean;
}

/** An error for which HTTP has a status that says more than the canonical code's own. */
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

/** The header fields that an error asks for, such as `Retry-After`. */
export function errorHeaders(error: WharfError): OutgoingHttpHeaders {
  const later = error.code === "UNAVAILABLE" ? { "retry-after": RETRY_AFTER_SECONDS } : {};
  return error instanceof HttpFault ? { ...later, ...error.headers } : later;
}
