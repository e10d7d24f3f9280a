/**
 * Handles unary calls of the Connect protocol: POST with a message as the whole body, and GET for methods without side
 * effects. Paths are those of gRPC. Streams need gRPC.
 */
import { fromBinary, toJsonString } from "@bufbuild/protobuf";
import { invalidArgument, unimplemented, WharfError } from "../../lib/errors.ts";
import type { Method } from "../../rpc/call.ts";
import { onlyReadsByRoute } from "../../rpc/dry-run.ts";
import { notServed } from "../grpc/handler.ts";
import { setCallDeadline } from "../grpc/timeout.ts";
import { readBody } from "../http/body.ts";
import { HttpFault, type Wire } from "../http/http.ts";
import type { HttpContext } from "../http/reply.ts";
import { errorReply, sendReply } from "../http/reply.ts";
import { connectJson } from "../http/status.ts";
import { maxRequestBytes } from "../limits.ts";
import { type Codec, codecNamed, decodeMessage, decodeScope, messageOfQuery } from "./request.ts";

/** Whether a path is that of a method. Its first segment is the full name of a service, which has dots. */
export function isMethodPath({ methods, unsupported }: Wire, path: string): boolean {
  const dot = path.indexOf(".", 2);
  if (dot < 0 || dot > path.indexOf("/", 1)) return false;
  return methods.find(path) !== undefined || unsupported.nameOf(path) !== undefined;
}

/** Handles a request to the path of a method. */
export function handleConnect(http: HttpContext, path: string, query: string): void {
  const { context, request, response, wire } = http;
  const fail = (thrown: unknown) => {
    const error = WharfError.from(thrown);
    if (!context.settle()) return;
    sendReply(http, { ...errorReply(http, error), body: connectJson(error, wire.errorDomain) });
  };
  try {
    const method = wire.methods.find(path);
    if (method === undefined) throw notServed(wire, path);
    context.method = `${method.desc.parent.typeName}/${method.desc.name}`;
    context.responseHeaders = method.responseHeaders;
    if (!method.served) throw unimplemented(context.method);
    checkMethod(method, request.method ?? "");
    checkVersion(request.headers["connect-protocol-version"]);
    setCallDeadline(context, wire, timeoutMs(request.headers["connect-timeout-ms"]), fail);
    response.on("close", () => context.disconnected());
    run(http, method, query).catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

async function run(http: HttpContext, method: Method, query: string): Promise<void> {
  const { context, request, wire } = http;
  const limit = maxRequestBytes(method, wire.limits);
  const isGet = request.method === "GET";
  const codec = isGet ? undefined : codecOf(request.headers["content-type"]);
  const admission = await wire.methods.admit(method, context);
  const { codec: used, bytes } = codec
    ? { codec, bytes: await readBody(http, limit) }
    : await messageOfQuery(query, limit, context);
  await wire.methods.schedule(context, context.method);
  if (admission === "denied")
    await wire.methods.deny(method, context, decodeScope(method, used, bytes));
  const message = decodeMessage(http, method, used, bytes);
  const reply = await wire.methods.call(method, message, context);
  const body = encode(method, used, reply.binary());
  if (!context.settle()) return;
  sendReply(http, { status: 200, headers: { "content-type": used.contentType }, body });
}

/**
 * JSON is the canonical encoding of protobuf, which clients parse with their descriptors: REST abbreviates names of
 * enum values.
 */
function encode({ desc: { output } }: Method, { format }: Codec, bytes: Uint8Array) {
  return format === "proto" ? bytes : toJsonString(output, fromBinary(output, bytes));
}

function checkMethod({ desc }: Method, httpMethod: string): void {
  if (desc.methodKind !== "unary") {
    const error = new WharfError("UNIMPLEMENTED", "streams are served over gRPC only");
    throw new HttpFault(error, 415, { "accept-post": "application/grpc" });
  }
  const allowed = onlyReadsByRoute(desc) ? ["GET", "POST"] : ["POST"];
  if (allowed.includes(httpMethod)) return;
  const text = `${desc.name} is called with ${allowed.join(" or ")}, not ${httpMethod}`;
  throw new HttpFault(new WharfError("UNIMPLEMENTED", text), 405, { allow: allowed.join(", ") });
}

function codecOf(contentType: string | undefined): Codec {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const codec = type.startsWith("application/") && codecNamed(type.slice("application/".length));
  if (codec) return codec;
  const description = `the content-type must be application/json or application/proto, not ${JSON.stringify(type)}`;
  throw new HttpFault(invalidArgument({ field: "", description }), 415, {
    "accept-post": "application/json, application/proto",
  });
}

function checkVersion(version: string | string[] | undefined): void {
  if (version === undefined || version === "1") return;
  const field = "connect-protocol-version";
  throw invalidArgument({ field, description: `${field} must be 1` });
}

function timeoutMs(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(String(header))) return Number(header);
  const field = "connect-timeout-ms";
  throw invalidArgument({ field, description: `${field} must be up to ten digits` });
}
