/** Dispatches HTTP requests other than gRPC: CORS preflights, endpoints, gRPC-Web, Connect and REST. */
import { WharfError } from "../../lib/errors.ts";
import { notTriable } from "../../rpc/dry-run.ts";
import { handleConnect, isMethodPath } from "../connect/handler.ts";
import type { HttpRequest } from "../endpoint.ts";
import { handleGrpcWeb } from "../grpc/web.ts";
import { readBody, readChunks } from "../http/body.ts";
import type { ByMethod } from "../http/endpoints.ts";
import { hostFault } from "../http/host.ts";
import type { HttpIn, HttpOut, Wire } from "../http/http.ts";
import { HttpFault, NoRoute } from "../http/http.ts";
import { checkParameterCount } from "../http/parameters.ts";
import type { HttpContext } from "../http/reply.ts";
import { errorReply, sendReply } from "../http/reply.ts";
import { RequestContext } from "../http/request-context.ts";
import { cancelBody } from "../http/stream.ts";
import { handleRest } from "../rest/handler.ts";
import type { Connection } from "./connections.ts";

/** Handles one request over HTTP/1 or HTTP/2. */
export function handleHttp(
  wire: Wire,
  request: HttpIn,
  response: HttpOut,
  connection: Connection,
): void {
  const { headers } = request;
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = pathOf(mark < 0 ? url : url.slice(0, mark));
  const query = mark < 0 ? "" : url.slice(mark + 1);
  const isWeb = headers["content-type"]?.startsWith("application/grpc-web") === true;
  const endpoints = isWeb ? undefined : wire.endpoints.find(path);
  const protocol = isWeb
    ? "grpc-web"
    : endpoints
      ? "http"
      : isMethodPath(wire, path)
        ? "connect"
        : "rest";
  const context = new RequestContext(protocol, headers, connection, wire);
  context.isPage = endpoints?.values().some(({ isPage }) => isPage === true) ?? false;
  const http = { wire, context, request, response };
  const fault = faultOf(wire, request, url, query);
  if (fault) reject(http, fault);
  else if (request.method === "OPTIONS" && preflight(http)) return;
  else if (isWeb) handleGrpcWeb(http, path);
  else if (endpoints) handleEndpoint(http, endpoints, path, query);
  else if (protocol === "connect") handleConnect(http, path, query);
  else handleRest(http, path, query);
}

/** The path of a request target, which may have absolute form (RFC 9112). */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const authority = /^https?:\/\/[^/]*/i.exec(target);
  return (authority && target.slice(authority[0].length)) || "/";
}

/** The first violation of the limits that all requests share. The connection is closed then. */
function faultOf(
  { limits, hosts }: Wire,
  request: HttpIn,
  url: string,
  query: string,
): HttpFault | undefined {
  const { urlBytes, headerFields, pathSegments } = limits;
  if (url.length > urlBytes) return exhausted(414, `the URL is longer than ${urlBytes} bytes`);
  if (request.rawHeaders.length > 2 * headerFields)
    return exhausted(431, `the request has more than ${headerFields} header fields`);
  if (url.length - query.length > pathSegments && segmentsOf(url) > pathSegments)
    return exhausted(414, `the path has more than ${pathSegments} segments`);
  try {
    checkParameterCount(query);
    return hostFault(hosts, request);
  } catch (error) {
    return closing(error as WharfError, 400);
  }
}

function segmentsOf(url: string): number {
  return url.split(/\/|%2f/i).length - 1;
}

function exhausted(status: number, text: string): HttpFault {
  return closing(new WharfError("RESOURCE_EXHAUSTED", text), status);
}

function closing(error: WharfError, status: number): HttpFault {
  return new HttpFault(error, status, { connection: "close" });
}

function reject(http: HttpContext, fault: HttpFault): void {
  if (http.context.settle()) sendReply(http, errorReply(http, fault));
}

function preflight(http: HttpContext): boolean {
  if (http.context.isPage) return false;
  const headers = http.wire.cors.preflight(http.request.headers);
  if (!headers) return false;
  if (http.context.settle()) sendReply(http, { status: 204, headers, body: "" });
  return true;
}

function handleEndpoint(http: HttpContext, endpoints: ByMethod, path: string, query: string): void {
  const { context, request, response, wire } = http;
  const fail = (thrown: unknown) => {
    if (context.settle()) {
      sendReply(http, errorReply(http, WharfError.from(thrown)));
    }
  };
  const method = request.method ?? "";
  const endpoint = endpoints.get(method === "HEAD" && !endpoints.has("HEAD") ? "GET" : method);
  if (!endpoint) {
    const error = new WharfError("UNIMPLEMENTED", `method ${method} is not allowed at this path`);
    fail(new NoRoute(error, 405, { allow: [...endpoints.keys()].join(", ") }));
    return;
  }
  context.method = endpoint.path;
  if (context.dryRun !== undefined && context.dryRun !== "false") {
    fail(notTriable(`${method} ${endpoint.path}`));
    return;
  }
  context.isPolled = endpoint.isPolled ?? false;
  // The connection is closed: the handler waits for the rest of the body, and would do so as long as it is open.
  const stop = (error: WharfError) => fail(closing(error, error.httpStatus));
  if (endpoint.streams) context.setIdleLimit(wire.limits.requestMs, stop);
  else context.setDeadline(wire.deadlines, fail);
  response.on("close", () => context.disconnected());
  const handle = () =>
    endpoint.handle(new EndpointRequest(http, path, query)).then((reply) => {
      if (reply.operation !== undefined) context.method = `${endpoint.path}${reply.operation}`;
      if (context.settle()) sendReply(http, reply);
      else cancelBody(reply.body);
    });
  const started = endpoint.isProbe ? undefined : wire.methods.schedule(context, endpoint.path);
  (started === undefined ? handle() : started.then(handle)).catch(fail);
}

/** A request to an endpoint. A class: an object literal with getters has a hidden class of its own, which V8 keeps long. */
class EndpointRequest implements HttpRequest {
  readonly #http: HttpContext;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HttpRequest["headers"];
  readonly remoteAddress: string;
  readonly requestId: string;

  constructor(http: HttpContext, path: string, query: string) {
    const { request, context } = http;
    this.#http = http;
    this.method = request.method ?? "";
    this.path = path;
    this.query = query;
    this.headers = request.headers;
    this.remoteAddress = context.remoteAddress;
    this.requestId = context.requestId;
  }

  get abandoned(): WharfError | undefined {
    return this.#http.context.abandoned;
  }

  get signal(): AbortSignal {
    return this.#http.context.signal;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#http, limit);
  }

  chunks(): AsyncIterable<Buffer> {
    return readChunks(this.#http);
  }
}
