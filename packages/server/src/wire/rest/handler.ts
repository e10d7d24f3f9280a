/** A REST call from path to answer. */
import { invalidArgument, unimplemented, unsupported, WharfError } from "../../lib/errors.ts";
import type { Reply } from "../../rpc/call.ts";
import type { Conversation } from "../answer.ts";
import { errorAnswer, sendAnswer } from "../answer.ts";
import { readBody } from "../body.ts";
import { HttpFault } from "../http.ts";
import { checkParameterCount } from "../parameters.ts";
import type { OutsideRoute } from "../unsupported.ts";
import { readRequest } from "./request.ts";
import type { Route } from "./route.ts";
import type { Match } from "./router.ts";

/**
 * Answers a request whose path is not one of the endpoints'.
 *
 * @example handleRest(conversation, "/iam/v2beta1/groups", "page_size=10");
 */
export function handleRest(conversation: Conversation, path: string, query: string): void {
  const { exchange, wire, request, response } = conversation;
  const fail = (thrown: unknown) => {
    if (exchange.settle()) {
      sendAnswer(conversation, errorAnswer(conversation, WharfError.from(thrown)));
    }
  };
  try {
    const match = inside(route(conversation, path));
    exchange.method = match.route.name;
    exchange.notices = match.route.method.notices;
    if (!match.route.method.served) throw unimplemented(match.route.name);
    exchange.arm(wire.deadlines, fail);
    response.on("close", () => exchange.gone());
    if (hasNoBody(request) || (match.route.body === "none" && !isForm(request))) {
      call(conversation, match, query, "", fail);
      return;
    }
    const read = () => readAndCall(conversation, match, query, fail).catch(fail);
    const admission = wire.methods.admit(match.route.method, exchange);
    if (admission === undefined) read();
    else admission.then(read, fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** Reads the body of a request that is worth reading. */
async function readAndCall(
  conversation: Conversation,
  match: Match<Route>,
  query: string,
  fail: (thrown: unknown) => void,
): Promise<void> {
  const { limits } = conversation.wire;
  const limit = match.route.method.isOpen ? limits.openMessageBytes : limits.messageBytes;
  const bytes = await readBody(conversation, limit);
  if (match.route.body === "none") {
    // A form is a query that does not fit, or does not belong, into a URL.
    const parameters = query === "" ? bytes.toString() : `${query}&${bytes}`;
    checkParameterCount(parameters);
    call(conversation, match, parameters, "", fail);
  } else call(conversation, match, query, textOf(conversation, bytes), fail);
}

function call(
  conversation: Conversation,
  { route, values }: Match<Route>,
  query: string,
  body: string,
  fail: (thrown: unknown) => void,
): void {
  const { exchange, wire } = conversation;
  const succeed = (reply: Reply) => {
    try {
      const body = reply.pieces ?? reply.json();
      if (!exchange.settle()) return;
      sendAnswer(conversation, { status: 200, body });
    } catch (thrown) {
      fail(thrown);
    }
  };
  try {
    const message = readRequest(route, values, query, body);
    wire.methods.call(route.method, message, exchange).then(succeed, fail);
  } catch (thrown) {
    fail(thrown);
  }
}

function inside(match: Match<Route | OutsideRoute>): Match<Route> {
  if ("outside" in match.route) throw unsupported(match.route.outside);
  return match as Match<Route>;
}

function route({ request, wire }: Conversation, path: string): Match<Route | OutsideRoute> {
  const method = request.method ?? "";
  try {
    const match = wire.router.find(method === "HEAD" ? "GET" : method, path);
    if (match) return match;
    const allowed = wire.router.allowed(path);
    if (allowed.length === 0) throw new WharfError("NOT_FOUND", "there is nothing at this path");
    const error = new WharfError("UNIMPLEMENTED", `this path does not answer to ${method}`);
    throw new HttpFault(error, 405, { allow: allowed.join(", ") });
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown;
    const description = "the path has malformed percent-encoding";
    throw invalidArgument({ field: "", description });
  }
}

/** Only HTTP/1 must announce a body. */
function hasNoBody({ headers, httpVersionMajor }: Conversation["request"]): boolean {
  const length = headers["content-length"];
  if (length !== undefined) return length === "0";
  return httpVersionMajor === 1 && headers["transfer-encoding"] === undefined;
}

function isForm({ headers }: Conversation["request"]): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
}

/** curl calls every body a form unless told otherwise; what is in it is read as JSON all the same. */
const TAKEN_AS_JSON = ["application/json", "application/x-www-form-urlencoded"];

function textOf({ request }: Conversation, bytes: Buffer): string {
  if (bytes.length === 0) return "";
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !TAKEN_AS_JSON.includes(type)) {
    const description = `the content-type must be application/json, not ${JSON.stringify(type)}`;
    throw new HttpFault(invalidArgument({ field: "", description }), 415);
  }
  return bytes.toString();
}
