/** Every HTTP request that is not gRPC: preflights, endpoints, gRPC-Web and REST part here. */
import { WharfError } from "../lib/errors.ts";
import type { Conversation } from "./answer.ts";
import { errorAnswer, sendAnswer } from "./answer.ts";
import { readBody } from "./body.ts";
import type { Connection } from "./connections.ts";
import type { ByMethod } from "./endpoints.ts";
import { handleGrpcWeb } from "./grpc/web.ts";
import { hostFault } from "./host.ts";
import type { HttpIn, HttpOut, Wire } from "./http.ts";
import { HttpFault } from "./http.ts";
import { checkParameterCount } from "./parameters.ts";
import { Exchange } from "./request-context.ts";
import { handleRest } from "./rest/handler.ts";
import { letGo } from "./stream-answer.ts";

/**
 * Answers one request over HTTP/1 or HTTP/2.
 *
 * @example server.on("request", (request, response) => handleHttp(wire, request, response, connection));
 */
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
  const protocol = isWeb ? "grpc-web" : endpoints ? "http" : "rest";
  const exchange = new Exchange(protocol, headers, connection, wire);
  const conversation = { wire, exchange, request, response };
  const fault = faultOf(wire, request, url, query);
  if (fault) refuse(conversation, fault);
  else if (request.method === "OPTIONS" && preflight(conversation)) return;
  else if (isWeb) handleGrpcWeb(conversation, path);
  else if (endpoints) handleEndpoint(conversation, endpoints, path, query);
  else handleRest(conversation, path, query);
}

/** The path of a URL that may come in the absolute form that proxies are sent. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const authority = /^https?:\/\/[^/]*/i.exec(target);
  return (authority && target.slice(authority[0].length)) || "/";
}

/** What is wrong with a request whatever it is for; the connection is not worth keeping then. */
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

function refuse(conversation: Conversation, fault: HttpFault): void {
  if (conversation.exchange.settle()) sendAnswer(conversation, errorAnswer(conversation, fault));
}

function preflight(conversation: Conversation): boolean {
  const headers = conversation.wire.cors.preflight(conversation.request.headers);
  if (!headers) return false;
  if (conversation.exchange.settle()) sendAnswer(conversation, { status: 204, headers, body: "" });
  return true;
}

function handleEndpoint(
  conversation: Conversation,
  endpoints: ByMethod,
  path: string,
  query: string,
): void {
  const { exchange, request, response, wire } = conversation;
  const fail = (thrown: unknown) => {
    if (exchange.settle()) {
      sendAnswer(conversation, errorAnswer(conversation, WharfError.from(thrown)));
    }
  };
  const method = request.method ?? "";
  const endpoint = endpoints.get(method === "HEAD" && !endpoints.has("HEAD") ? "GET" : method);
  if (!endpoint) {
    const error = new WharfError("UNIMPLEMENTED", `this path does not answer to ${method}`);
    fail(new HttpFault(error, 405, { allow: [...endpoints.keys()].join(", ") }));
    return;
  }
  exchange.method = endpoint.path;
  exchange.arm(wire.deadlines, fail);
  response.on("close", () => exchange.gone());
  const { headers } = request;
  const { remoteAddress, requestId } = exchange;
  const body = (limit: number) => readBody(conversation, limit);
  endpoint
    .handle({ method, path, query, headers, remoteAddress, requestId, body })
    .then((answer) => {
      if (exchange.settle()) sendAnswer(conversation, answer);
      else letGo(answer.body);
    })
    .catch(fail);
}
