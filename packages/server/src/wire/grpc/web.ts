/** gRPC-Web: the same unary calls for browsers, with trailers as the last frame of the body. */
import type { IncomingMessage } from "node:http";
import { invalidArgument, unimplemented, WharfError } from "../../lib/errors.ts";
import type { Method } from "../../rpc/call.ts";
import { readBody } from "../body.ts";
import { abandonStream, hangUpGently, leavesBody } from "../discard.ts";
import type { HttpIn } from "../http.ts";
import type { HttpContext } from "../http-reply.ts";
import { SLOW_CLIENT_BYTES } from "../limits.ts";
import { COMPRESSED, encodeFrame, FrameReader, TRAILERS } from "./frame.ts";
import { notServed } from "./handler.ts";
import { armCall } from "./timeout.ts";
import type { Trailers } from "./trailers.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";
import { decode, onlyPayload, pack, shouldPack } from "./unary.ts";

/** Base64 makes four characters of three bytes; the frame's prefix and padding fit in the rest. */
const TEXT_OVERHEAD = 4 / 3;
const PREFIX_ROOM = 16;

/**
 * Answers a request whose content type begins with application/grpc-web.
 *
 * @example handleGrpcWeb(http, "/wharf.iam.v2beta1.GroupsService/GetGroup");
 */
export function handleGrpcWeb(http: HttpContext, path: string): void {
  const { context, request, response, wire } = http;
  const fail = (thrown: unknown) => {
    const error = WharfError.from(thrown);
    if (!context.settle()) return;
    send(http, [], errorTrailers(error, wire.errorDomain), error);
  };
  const method = wire.methods.find(path);
  if (!method || request.method !== "POST") {
    fail(notServed(wire, path));
    return;
  }
  context.method = `${method.desc.parent.typeName}/${method.desc.name}`;
  context.responseHeaders = method.responseHeaders;
  response.on("close", () => context.gone());
  run(http, method, fail).catch(fail);
}

async function run(
  http: HttpContext,
  method: Method,
  fail: (thrown: unknown) => void,
): Promise<void> {
  const { context, request, response, wire } = http;
  if (!method.served) throw unimplemented(context.method);
  const limit = method.isOpen ? wire.limits.openMessageBytes : wire.limits.messageBytes;
  armCall(context, wire, request.headers["grpc-timeout"], fail);
  await wire.methods.admit(method, context);
  const body = await readBody(http, Math.ceil(limit * TEXT_OVERHEAD) + PREFIX_ROOM);
  const reader = new FrameReader(limit);
  const frames = reader.push(isText(http) ? fromText(body) : body);
  reader.end();
  const encoding = request.headers["grpc-encoding"] as string | undefined;
  const bytes = await onlyPayload(frames, encoding, limit);
  const reply = await wire.methods.call(method, decode(method, bytes), context);
  const answer = reply.binary();
  wire.unread.mustHaveRoom(answer.length);
  if (!context.settle()) return;
  wire.unread.hold(answer.length, response);
  const packed = shouldPack(answer.length, request.headers["grpc-accept-encoding"]);
  const payload = packed ? await pack(answer) : answer;
  send(http, [encodeFrame(packed ? COMPRESSED : 0, payload)], OK_TRAILERS);
}

function send(
  { context, request, response, wire }: HttpContext,
  frames: readonly Buffer[],
  trailers: Trailers,
  error?: WharfError,
): void {
  const text = isText({ request });
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.concat([...frames, encodeFrame(TRAILERS, Buffer.from(lines.join("")))]);
  const body = text ? bytes.toString("base64") : bytes;
  const packed = ((frames[0]?.[0] ?? 0) & COMPRESSED) !== 0;
  const isLeft = leavesBody(request);
  response.writeHead(200, {
    "content-type": `application/grpc-web${text ? "-text" : ""}+proto`,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": context.requestId,
    ...(packed ? { "grpc-encoding": "gzip" } : undefined),
    ...context.responseHeaders,
    ...wire.commonHeaders,
    ...wire.cors.headersFor(request.headers.origin),
    ...(wire.cors.varies ? { vary: "Origin" } : undefined),
    ...(isLeft ? { connection: "close" } : undefined),
  });
  // A client that does not read keeps the answer, and our memory, no longer than idlers may.
  if (body.length > SLOW_CLIENT_BYTES) {
    response.setTimeout(wire.limits.idleMs, () => response.destroy());
  }
  if (isLeft) {
    response.write(body);
    hangUpGently(request as HttpIn & IncomingMessage);
  } else response.end(body);
  abandonStream(request);
  context.finished(200, error?.number ?? 0, body.length, error);
}

function isText({ request }: Pick<HttpContext, "request">): boolean {
  return request.headers["content-type"]?.startsWith("application/grpc-web-text") === true;
}

/**
 * Several pieces of base64, each with its own padding. Padding separates the pieces, so that there is
 * one way only to match a text: with several, a text that does not match takes exponential time.
 */
const BASE64_PIECES = /^(?:[A-Za-z0-9+/]+(?:={1,2}[A-Za-z0-9+/]+)*={0,2})?$/;

function fromText(body: Buffer): Buffer {
  const text = body.toString("latin1");
  if (!BASE64_PIECES.test(text)) {
    throw invalidArgument({ field: "", description: "the body is not valid base64" });
  }
  const pieces = text.match(/[A-Za-z0-9+/]+={0,2}/g) ?? [];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64")));
}
