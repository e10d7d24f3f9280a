/** Handles REST calls: matches the route, decodes the request, calls the method and encodes the response. */
import type { Message } from "@bufbuild/protobuf";
import { invalidArgument, unimplemented, unsupported, WharfError } from "../../lib/errors.ts";
import type { Admission, Reply } from "../../rpc/call.ts";
import { readBody } from "../http/body.ts";
import { HttpFault, NoRoute } from "../http/http.ts";
import { checkParameterCount } from "../http/parameters.ts";
import type { HttpContext } from "../http/reply.ts";
import { errorReply, sendReply } from "../http/reply.ts";
import { maxRequestBytes } from "../limits.ts";
import type { UnsupportedRoute } from "../unsupported.ts";
import { readAsPreferred } from "./handling.ts";
import { type RestRequest, readRequest, readScope } from "./request.ts";
import { readRequestId } from "./request-id.ts";
import type { Route } from "./route.ts";
import type { Match } from "./router.ts";
import { sendServerSentEvents } from "./stream.ts";

/** Handles a request that matches no endpoint. */
export function handleRest(http: HttpContext, path: string, query: string): void {
  const { context, wire, request, response } = http;
  const fail = (thrown: unknown) => {
    if (context.settle()) {
      sendReply(http, errorReply(http, WharfError.from(thrown)));
    }
  };
  try {
    const match = supported(route(http, path));
    context.method = match.route.name;
    context.responseHeaders = match.route.method.responseHeaders;
    if (!match.route.method.served) throw unimplemented(match.route.name);
    const wait = () => {
      context.setDeadline(wire.deadlines, fail);
      response.on("close", () => context.disconnected());
    };
    if (hasNoBody(request) || (match.route.body === "none" && !isForm(request))) {
      start(http, { ...match, query, body: "" }, fail, wait);
      return;
    }
    wait();
    const read = (admission: Admission) =>
      readAndCall(http, match, query, fail, admission).catch(fail);
    const { method, scopeVariable } = match.route;
    const admission = wire.methods.admit(method, context, match.values[scopeVariable]);
    if (admission instanceof Promise) admission.then(read, fail);
    else read(admission);
  } catch (thrown) {
    fail(thrown);
  }
}

async function readAndCall(
  http: HttpContext,
  match: Match<Route>,
  query: string,
  fail: (thrown: unknown) => void,
  admission: Admission,
): Promise<void> {
  const { wire, context } = http;
  const { method, body } = match.route;
  const bytes = await readBody(http, maxRequestBytes(method, wire.limits));
  const request =
    body === "none"
      ? { ...match, query: formParameters(query, bytes), body: "" }
      : { ...match, query, body: textOf(http, bytes) };
  if (admission === "denied") await wire.methods.deny(method, context, readScope(request));
  start(http, request, fail);
}

/** Calls the method, at once or when the event loop has time for it. */
function start(
  http: HttpContext,
  request: RestRequest,
  fail: (thrown: unknown) => void,
  beforeWaiting?: () => void,
): void {
  const started = http.wire.methods.schedule(http.context, request.route.name);
  if (started === undefined) {
    call(http, request, fail, beforeWaiting);
    return;
  }
  beforeWaiting?.();
  started.then(() => call(http, request, fail)).catch(fail);
}

/** A form has the same parameters as the query, for values that are too long or too secret for a URL. */
function formParameters(query: string, bytes: Buffer): string {
  const parameters = query === "" ? bytes.toString() : `${query}&${bytes}`;
  checkParameterCount(parameters);
  return parameters;
}

function call(
  http: HttpContext,
  request: RestRequest,
  fail: (thrown: unknown) => void,
  beforeWaiting?: () => void,
): void {
  const { context, wire } = http;
  const { route, query } = request;
  const succeed = (reply: Reply) => {
    if (reply.stream !== undefined) {
      if (context.settle()) sendServerSentEvents(http, reply.stream);
      return;
    }
    try {
      const body = reply.chunks ?? reply.json();
      if (!context.settle()) return;
      sendReply(http, { status: 200, body });
    } catch (thrown) {
      fail(thrown);
    }
  };
  try {
    if (query.includes("request")) readRequestId(context, route, query);
    const message = readMessage(http, request);
    const reply = wire.methods.call(route.method, message, context);
    if (reply instanceof Promise) {
      beforeWaiting?.();
      reply.then(succeed, fail);
    } else succeed(reply);
  } catch (thrown) {
    fail(thrown);
  }
}

function readMessage(http: HttpContext, request: RestRequest): Message {
  if (request.route.body === "none") return readRequest(request).message;
  return readAsPreferred(http, (unknown) => readRequest(request, unknown)).message;
}

function supported(match: Match<Route | UnsupportedRoute>): Match<Route> {
  if ("unsupported" in match.route) throw unsupported(match.route.unsupported);
  return match as Match<Route>;
}

function route({ request, wire }: HttpContext, path: string): Match<Route | UnsupportedRoute> {
  const method = request.method ?? "";
  try {
    const match = wire.router.find(method === "HEAD" ? "GET" : method, path);
    if (match) return match;
    const allowed = wire.router.allowed(path);
    if (allowed.length === 0) {
      throw new NoRoute(new WharfError("NOT_FOUND", "no route matches this path"), 404);
    }
    const error = new WharfError("UNIMPLEMENTED", `method ${method} is not allowed at this path`);
    throw new NoRoute(error, 405, { allow: allowed.join(", ") });
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown;
    const description = "the path has malformed percent-encoding";
    throw invalidArgument({ field: "", description });
  }
}

/** In HTTP/1, a body must be announced by a header. */
function hasNoBody({ headers, httpVersionMajor }: HttpContext["request"]): boolean {
  const length = headers["content-length"];
  if (length !== undefined) return length === "0";
  return httpVersionMajor === 1 && headers["transfer-encoding"] === undefined;
}

function isForm({ headers }: HttpContext["request"]): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
}

/** curl sends bodies as forms by default; they are decoded as JSON nevertheless. */
const JSON_CONTENT_TYPES = ["application/json", "application/x-www-form-urlencoded"];

function textOf({ request }: HttpContext, bytes: Buffer): string {
  if (bytes.length === 0) return "";
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !JSON_CONTENT_TYPES.includes(type)) {
    const description = `the content-type must be application/json, not ${JSON.stringify(type)}`;
    throw new HttpFault(invalidArgument({ field: "", description }), 415);
  }
  return bytes.toString();
}
