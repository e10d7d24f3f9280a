/** Handles gRPC-Web: unary calls of browsers, with trailers as the last frame of the body. */
import type { IncomingMessage } from "node:http";
import { invalidArgument, unimplemented, WharfError } from "../../lib/errors.ts";
import type { Method } from "../../rpc/call.ts";
import { readBody } from "../body.ts";
import { abandonStream, closeGracefully, hasUnreadBody } from "../discard.ts";
import type { HttpIn } from "../http.ts";
import type { HttpContext } from "../http-reply.ts";
import { closeIfUnread } from "../idle-connections.ts";
import { SLOW_CLIENT_BYTES } from "../limits.ts";
import { COMPRESSED, encodeFrame, FrameReader, TRAILERS } from "./frame.ts";
import { notServed } from "./handler.ts";
import { setCallDeadline, timeoutMs } from "./timeout.ts";
import type { Trailers } from "./trailers.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";
import { compress, decode, onlyPayload, shouldCompress } from "./unary.ts";

/** Base64 encodes three bytes as four characters; the prefix of the frame and padding are extra. */
const TEXT_OVERHEAD = 4 / 3;
const PREFIX_BYTES = 16;

/** Handles a request with a content type of application/grpc-web. */
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
  response.on("close", () => context.disconnected());
  run(http, method, fail).catch(fail);
}

async function run(
  http: HttpContext,
  method: Method,
  fail: (thrown: unknown) => void,
): Promise<void> {
  const { context, request, response, wire } = http;
  if (!method.served) throw unimplemented(context.method);
  const limit = method.isPublic ? wire.limits.publicMessageBytes : wire.limits.messageBytes;
  setCallDeadline(context, wire, timeoutMs(request.headers["grpc-timeout"]), fail);
  await wire.methods.admit(method, context);
  const body = await readBody(http, Math.ceil(limit * TEXT_OVERHEAD) + PREFIX_BYTES);
  const reader = new FrameReader(limit);
  const frames = reader.push(isText(http) ? fromText(body) : body);
  reader.end();
  const encoding = request.headers["grpc-encoding"] as string | undefined;
  const bytes = await onlyPayload(frames, encoding, limit, context);
  const reply = await wire.methods.call(method, decode(method, bytes), context);
  const message = reply.binary();
  wire.unread.checkCapacity(message.length);
  if (!context.settle()) return;
  wire.unread.hold(message.length, response);
  const compressed = shouldCompress(message.length, request.headers["grpc-accept-encoding"]);
  const payload = compressed ? await compress(message) : message;
  send(http, [encodeFrame(compressed ? COMPRESSED : 0, payload)], OK_TRAILERS);
}

function send(
  http: HttpContext,
  frames: readonly Buffer[],
  trailers: Trailers,
  error?: WharfError,
): void {
  const { context, request, response, wire } = http;
  const text = isText({ request });
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.concat([...frames, encodeFrame(TRAILERS, Buffer.from(lines.join("")))]);
  const body = text ? bytes.toString("base64") : bytes;
  const compressed = ((frames[0]?.[0] ?? 0) & COMPRESSED) !== 0;
  const isLeft = hasUnreadBody(request);
  const isHttp1 = request.httpVersionMajor === 1;
  const closes = isLeft || (wire.draining && isHttp1);
  response.writeHead(200, {
    "content-type": `application/grpc-web${text ? "-text" : ""}+proto`,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": context.requestId,
    ...(compressed ? { "grpc-encoding": "gzip" } : undefined),
    ...context.responseHeaders,
    ...wire.commonHeaders,
    ...wire.cors.headersFor(request.headers.origin),
    ...(wire.cors.varies ? { vary: "Origin" } : undefined),
    ...(closes ? { connection: "close" } : isHttp1 && { "keep-alive": wire.keepAlive }),
  });
  if (body.length > SLOW_CLIENT_BYTES) closeIfUnread(http);
  if (isLeft) {
    response.write(body);
    closeGracefully(request as HttpIn & IncomingMessage, wire.limits.requestMs);
  } else response.end(body);
  abandonStream(request);
  context.finished(200, error?.number ?? 0, body.length, error);
}

function isText({ request }: Pick<HttpContext, "request">): boolean {
  return request.headers["content-type"]?.startsWith("application/grpc-web-text") === true;
}

/**
 * Concatenated chunks of base64, each with its own padding. The padding separates chunks, so that there is one way to
 * match: an ambiguous expression would backtrack exponentially.
 */
const BASE64_CHUNKS = /^(?:[A-Za-z0-9+/]+(?:={1,2}[A-Za-z0-9+/]+)*={0,2})?$/;

function fromText(body: Buffer): Buffer {
  const text = body.toString("latin1");
  if (!BASE64_CHUNKS.test(text)) {
    throw invalidArgument({ field: "", description: "the body is not valid base64" });
  }
  const chunks = text.match(/[A-Za-z0-9+/]+={0,2}/g) ?? [];
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, "base64")));
}
