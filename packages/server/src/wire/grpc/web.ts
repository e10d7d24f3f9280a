/** Handles gRPC-Web: unary calls of browsers, with trailers as the last frame of the body. */
import { invalidArgument, unimplemented, WharfError } from "../../lib/errors.ts";
import { messageFromBinary } from "../../rpc/binary-read.ts";
import type { Method } from "../../rpc/call.ts";
import { readBody } from "../http/body.ts";
import { abandonStream, hasUnreadBody } from "../http/discard.ts";
import { closeIfUnread } from "../http/idle-connections.ts";
import { type HttpContext, writeAndClose } from "../http/reply.ts";
import { maxRequestBytes, SLOW_CLIENT_BYTES } from "../limits.ts";
import { COMPRESSED, encodeFrame, FrameReader, TRAILERS } from "./frame.ts";
import { notServed } from "./handler.ts";
import { compress, denyByMessage, onlyPayload, shouldCompress } from "./request.ts";
import { setCallDeadline, timeoutMs } from "./timeout.ts";
import type { Trailers } from "./trailers.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";

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
  const limit = maxRequestBytes(method, wire.limits);
  setCallDeadline(context, wire, timeoutMs(request.headers["grpc-timeout"]), fail);
  const admission = await wire.methods.admit(method, context);
  const body = await readBody(http, Math.ceil(limit * TEXT_OVERHEAD) + PREFIX_BYTES);
  const reader = new FrameReader(limit);
  // More than one message is an error; two are enough to know.
  const frames = reader.push(isText(http) ? fromText(body) : body, 2);
  if (frames.length < 2) reader.end();
  const encoding = request.headers["grpc-encoding"] as string | undefined;
  const bytes = await onlyPayload(frames, encoding, limit, context);
  await wire.methods.schedule(context, context.method);
  if (admission === "denied") await denyByMessage(wire.methods, method, context, bytes);
  const message = messageFromBinary(method.desc.input, bytes);
  const reply = await wire.methods.call(method, message, context);
  const sent = reply.binary();
  wire.unread.checkCapacity(sent.length);
  if (!context.settle()) return;
  wire.unread.hold(sent.length, response);
  const compressed = shouldCompress(sent.length, request.headers["grpc-accept-encoding"]);
  const payload = compressed ? await compress(sent) : sent;
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
  if (isLeft) writeAndClose(http, body);
  else response.end(body);
  abandonStream(request);
  context.finished(200, error?.number ?? 0, body.length, error);
}

function isText({ request }: Pick<HttpContext, "request">): boolean {
  return request.headers["content-type"]?.startsWith("application/grpc-web-text") === true;
}

/** Chunks of base64 in a body: clients send one for each message, and a call has one message. */
const MAX_CHUNKS = 100;

/** Decodes concatenated chunks of base64, each with its own padding. */
function fromText(body: Buffer): Buffer {
  const text = body.toString("latin1");
  const chunks: Buffer[] = [];
  let isValid = !/[^A-Za-z0-9+/=]/.test(text);
  for (let at = 0; isValid && at < text.length; ) {
    const padding = text.indexOf("=", at);
    const end = padding < 0 ? text.length : padding + (text[padding + 1] === "=" ? 2 : 1);
    isValid = padding !== at && chunks.length < MAX_CHUNKS;
    chunks.push(Buffer.from(text.slice(at, end), "base64"));
    at = end;
  }
  if (!isValid) throw invalidArgument({ field: "", description: "the body is not valid base64" });
  return Buffer.concat(chunks);
}
