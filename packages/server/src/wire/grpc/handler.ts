/** Handles gRPC calls on HTTP/2 streams. Methods of the contract have one request; health and reflection have many. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { unimplemented, unsupported, WharfError } from "../../lib/errors.ts";
import { messageFromBinary } from "../../rpc/binary-read.ts";
import type { Admission, Method, Reply } from "../../rpc/call.ts";
import { discardRest } from "../http/discard.ts";
import { hostFault } from "../http/host.ts";
import type { Wire } from "../http/http.ts";
import { RequestContext } from "../http/request-context.ts";
import { maxRequestBytes, SLOW_CLIENT_BYTES } from "../limits.ts";
import type { Connection } from "../port/connections.ts";
import type { Frame } from "./frame.ts";
import { COMPRESSED, encodeFrame, FrameReader } from "./frame.ts";
import { compress, denyByMessage, onlyPayload, shouldCompress } from "./request.ts";
import { sendMessages } from "./stream.ts";
import type { Outbox, StreamingMethod } from "./system/handler.ts";
import { handleStreaming } from "./system/handler.ts";
import { setCallDeadline, timeoutMs } from "./timeout.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";

const { NGHTTP2_CANCEL } = constants;
const WITH_TRAILERS = { waitForTrailers: true } as const;
const END_STREAM = { endStream: true } as const;

/** The state of a port with the streaming methods of gRPC. */
export interface GrpcWire extends Wire {
  /** Streaming methods by path. */
  readonly streaming: ReadonlyMap<string, StreamingMethod>;
  /** Streaming calls in progress, which end when the port closes. */
  readonly streamingCalls: Set<Outbox>;
}

/** Handles one gRPC call. */
export function handleGrpc(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  connection: Connection,
): void {
  const context = new RequestContext("grpc", headers, connection, wire);
  // "close" follows a reset and is handled.
  stream.on("error", ignore);
  const fault = hostFault(wire.hosts, { headers, rawHeaders: [], httpVersion: "2.0" });
  if (fault) {
    reject(wire, stream, context, fault);
    return;
  }
  if (headers[":method"] !== "POST") {
    reject(wire, stream, context, unimplemented("gRPC with an HTTP method other than POST"));
    return;
  }
  const path = headers[":path"] as string;
  const method = wire.methods.find(path);
  if (method) new MethodCall(wire, stream, headers, context, method).start();
  else {
    const streaming = wire.streaming.get(path);
    if (streaming) handleStreaming(wire, stream, headers, context, path, streaming);
    else reject(wire, stream, context, notServed(wire, path));
  }
}

/** The error for a path without a method. */
export function notServed(wire: Wire, path: string): WharfError {
  const name = wire.unsupported.nameOf(path);
  return name === undefined ? unimplemented("the method") : unsupported(name);
}

function ignore(): void {}

class MethodCall {
  readonly #wire: GrpcWire;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #context: RequestContext;
  readonly #method: Method;
  readonly #limit: number;
  readonly #reader: FrameReader;
  #frames: Frame[] = [];
  #admission: Admission = "admitted";

  constructor(
    wire: GrpcWire,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    context: RequestContext,
    method: Method,
  ) {
    this.#wire = wire;
    this.#stream = stream;
    this.#headers = headers;
    this.#context = context;
    this.#method = method;
    this.#limit = maxRequestBytes(method, wire.limits);
    this.#reader = new FrameReader(this.#limit, (bytes) => context.announced(bytes));
  }

  start(): void {
    const { desc, served, responseHeaders } = this.#method;
    this.#context.responseHeaders = responseHeaders;
    this.#context.method = `${desc.parent.typeName}/${desc.name}`;
    try {
      if (!served) throw unimplemented(this.#context.method);
      const timeout = timeoutMs(this.#headers["grpc-timeout"]);
      setCallDeadline(this.#context, this.#wire, timeout, this.#fail);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#stream.on("close", () => this.#context.disconnected());
    const admission = this.#wire.methods.admit(this.#method, this.#context);
    if (admission instanceof Promise) admission.then(this.#listen).catch(this.#fail);
    else this.#listen(admission);
  }

  readonly #listen = (admission: Admission): void => {
    this.#admission = admission;
    if (this.#context.isSettled) return;
    // A stream without data may have ended during authentication.
    if (this.#stream.readableEnded) {
      this.#call();
      return;
    }
    this.#stream.on("data", this.#read);
    this.#stream.on("end", this.#call);
  };

  readonly #read = (chunk: Buffer): void => {
    try {
      this.#context.received(chunk.length);
      const frames = this.#reader.push(chunk);
      this.#frames = this.#frames.length === 0 ? frames : [...this.#frames, ...frames];
      // More than one message is an error in the end; two are enough to know.
      if (this.#frames.length > 2) this.#frames.length = 2;
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  readonly #call = (): void => {
    try {
      this.#reader.end();
      const encoding = this.#headers["grpc-encoding"] as string | undefined;
      const bytes = onlyPayload(this.#frames, encoding, this.#limit, this.#context);
      if (bytes instanceof Promise) bytes.then(this.#start).catch(this.#fail);
      else this.#start(bytes);
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  /** Calls the method, at once or when the event loop has time for it. */
  readonly #start = (bytes: Uint8Array): void => {
    const started = this.#wire.methods.schedule(this.#context, this.#context.method);
    if (started === undefined) this.#run(bytes);
    else started.then(() => this.#run(bytes)).catch(this.#fail);
  };

  readonly #run = (bytes: Uint8Array): void => {
    const { methods } = this.#wire;
    if (this.#admission === "denied") {
      denyByMessage(methods, this.#method, this.#context, bytes).catch(this.#fail);
      return;
    }
    const request = messageFromBinary(this.#method.desc.input, bytes);
    const reply = methods.call(this.#method, request, this.#context);
    if (reply instanceof Promise) reply.then(this.#succeed, this.#fail);
    else this.#succeed(reply);
  };

  readonly #succeed = (reply: Reply): void => {
    if (reply.stream !== undefined) {
      sendMessages(this.#wire, this.#stream, this.#context, reply.stream);
      return;
    }
    try {
      const bytes = reply.binary();
      this.#wire.unread.checkCapacity(bytes.length);
      if (!this.#context.settle()) return;
      this.#wire.unread.hold(bytes.length, this.#stream);
      if (shouldCompress(bytes.length, this.#headers["grpc-accept-encoding"])) {
        compress(bytes).then((compressed) => this.#send(compressed, true));
      } else this.#send(bytes, false);
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  readonly #fail = (thrown: unknown): void => {
    reject(this.#wire, this.#stream, this.#context, WharfError.from(thrown));
  };

  #send(bytes: Uint8Array, compressed: boolean): void {
    const stream = this.#stream;
    const frame = encodeFrame(compressed ? COMPRESSED : 0, bytes);
    if (!stream.closed) {
      const head: Record<string, string | number> = {
        ":status": 200,
        "content-type": "application/grpc",
        "x-request-id": this.#context.requestId,
      };
      if (compressed) head["grpc-encoding"] = "gzip";
      if (this.#context.responseHeaders) Object.assign(head, this.#context.responseHeaders);
      if (this.#wire.commonHeaders) Object.assign(head, this.#wire.commonHeaders);
      stream.respond(head, WITH_TRAILERS);
      stream.on("wantTrailers", sendOk);
      // Clients that do not read must not hold the stream and its memory for longer than a request may take.
      if (frame.length > SLOW_CLIENT_BYTES) {
        // Any other code would wait for the client.
        stream.setTimeout(this.#wire.limits.requestMs, () => stream.close(NGHTTP2_CANCEL));
      }
      stream.end(frame);
    }
    this.#context.finished(200, 0, frame.length);
  }
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers({ ...OK_TRAILERS });
}

/** Fails a call before any message: the response is a single header block (trailers-only). */
export function reject(
  wire: Wire,
  stream: ServerHttp2Stream,
  context: RequestContext,
  error: WharfError,
): void {
  if (!context.settle()) return;
  // A stream that the client has reset is closed before it is destroyed, and cannot respond.
  if (!stream.closed && !stream.headersSent) {
    const head = {
      ":status": 200,
      "content-type": "application/grpc",
      "x-request-id": context.requestId,
      "grpc-accept-encoding": "identity,gzip",
      ...context.responseHeaders,
      ...wire.commonHeaders,
      ...errorTrailers(error, wire.errorDomain),
    };
    stream.respond(head, END_STREAM);
    if (!stream.readableEnded) discardRest(stream);
  }
  context.finished(200, error.number, 0, error);
}
