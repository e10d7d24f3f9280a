/** gRPC on an HTTP/2 stream. Unary calls go to the methods; health and reflection stream. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { unimplemented, unsupported, WharfError } from "../../lib/errors.ts";
import type { Method, Reply } from "../../rpc/call.ts";
import type { Connection } from "../connections.ts";
import { discardRest } from "../discard.ts";
import { hostFault } from "../host.ts";
import type { Wire } from "../http.ts";
import { SLOW_CLIENT_BYTES } from "../limits.ts";
import { RequestContext } from "../request-context.ts";
import type { Frame } from "./frame.ts";
import { COMPRESSED, encodeFrame, FrameReader } from "./frame.ts";
import type { StreamingMethod } from "./streaming.ts";
import { handleStreaming } from "./streaming.ts";
import { armCall } from "./timeout.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";
import { decode, onlyPayload, pack, shouldPack } from "./unary.ts";

const { NGHTTP2_CANCEL } = constants;
const WITH_TRAILERS = { waitForTrailers: true } as const;
const END_STREAM = { endStream: true } as const;

/** What a gRPC call needs beyond what all requests share. */
export interface GrpcWire extends Wire {
  /** Methods that do not fit "one message in, one out", by path. */
  readonly streaming: ReadonlyMap<string, StreamingMethod>;
}

/**
 * Answers one gRPC call.
 *
 * @example session.on("stream", (stream, headers) => handleGrpc(wire, stream, headers, connection));
 */
export function handleGrpc(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  connection: Connection,
): void {
  const context = new RequestContext("grpc", headers, connection, wire);
  // A reset is not a failure of ours; "close" follows and is dealt with there.
  stream.on("error", ignore);
  const fault = hostFault(wire.hosts, { headers, rawHeaders: [], httpVersion: "2.0" });
  if (fault) {
    refuse(wire, stream, context, fault);
    return;
  }
  if (headers[":method"] !== "POST") {
    refuse(wire, stream, context, unimplemented("gRPC by another method than POST"));
    return;
  }
  const path = headers[":path"] as string;
  const method = wire.methods.find(path);
  if (method) new UnaryCall(wire, stream, headers, context, method).start();
  else {
    const streaming = wire.streaming.get(path);
    if (streaming) handleStreaming(wire, stream, headers, context, path, streaming);
    else refuse(wire, stream, context, notServed(wire, path));
  }
}

/** Why there is no such method. */
export function notServed(wire: Wire, path: string): WharfError {
  const name = wire.unsupported.nameOf(path);
  return name === undefined ? unimplemented("the method") : unsupported(name);
}

function ignore(): void {}

class UnaryCall {
  readonly #wire: Wire;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #context: RequestContext;
  readonly #method: Method;
  readonly #limit: number;
  readonly #reader: FrameReader;
  #frames: Frame[] = [];

  constructor(
    wire: Wire,
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
    const { openMessageBytes, messageBytes } = wire.limits;
    this.#limit = method.isOpen ? openMessageBytes : messageBytes;
    this.#reader = new FrameReader(this.#limit);
  }

  start(): void {
    const { desc, served, responseHeaders } = this.#method;
    this.#context.responseHeaders = responseHeaders;
    this.#context.method = `${desc.parent.typeName}/${desc.name}`;
    try {
      if (!served) throw unimplemented(this.#context.method);
      armCall(this.#context, this.#wire, this.#headers["grpc-timeout"], this.#fail);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#stream.on("close", () => this.#context.gone());
    const admission = this.#wire.methods.admit(this.#method, this.#context);
    if (admission === undefined) this.#listen();
    else admission.then(this.#listen).catch(this.#fail);
  }

  readonly #listen = (): void => {
    if (this.#context.isSettled) return;
    // A stream without data may have ended while its caller was being authenticated.
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
      // More than one is refused at the end; holding on to them all is not needed for that.
      if (this.#frames.length > 2) this.#frames.length = 2;
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  readonly #call = (): void => {
    try {
      this.#reader.end();
      const encoding = this.#headers["grpc-encoding"] as string | undefined;
      const bytes = onlyPayload(this.#frames, encoding, this.#limit);
      if (bytes instanceof Promise) bytes.then(this.#runUnpacked).catch(this.#fail);
      else this.#run(bytes);
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  readonly #runUnpacked = (bytes: Uint8Array): void => {
    this.#context.received(bytes.length);
    this.#run(bytes);
  };

  readonly #run = (bytes: Uint8Array): void => {
    const request = decode(this.#method, bytes);
    this.#wire.methods.call(this.#method, request, this.#context).then(this.#succeed, this.#fail);
  };

  readonly #succeed = (reply: Reply): void => {
    try {
      const bytes = reply.binary();
      this.#wire.unread.mustHaveRoom(bytes.length);
      if (!this.#context.settle()) return;
      this.#wire.unread.hold(bytes.length, this.#stream);
      if (shouldPack(bytes.length, this.#headers["grpc-accept-encoding"])) {
        pack(bytes).then((packed) => this.#send(packed, true));
      } else this.#send(bytes, false);
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  readonly #fail = (thrown: unknown): void => {
    refuse(this.#wire, this.#stream, this.#context, WharfError.from(thrown));
  };

  #send(bytes: Uint8Array, packed: boolean): void {
    const stream = this.#stream;
    const frame = encodeFrame(packed ? COMPRESSED : 0, bytes);
    if (!stream.destroyed) {
      const head: Record<string, string | number> = {
        ":status": 200,
        "content-type": "application/grpc",
        "x-request-id": this.#context.requestId,
      };
      if (packed) head["grpc-encoding"] = "gzip";
      if (this.#context.responseHeaders) Object.assign(head, this.#context.responseHeaders);
      if (this.#wire.commonHeaders) Object.assign(head, this.#wire.commonHeaders);
      stream.respond(head, WITH_TRAILERS);
      stream.on("wantTrailers", sendOk);
      // A client that does not read keeps the stream, and its memory, no longer than a request may.
      if (frame.length > SLOW_CLIENT_BYTES) {
        // With another code it would wait for them all the same.
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

/** Ends a call that has sent nothing yet: all of the answer is in one header block. */
export function refuse(
  wire: Wire,
  stream: ServerHttp2Stream,
  context: RequestContext,
  error: WharfError,
): void {
  if (!context.settle()) return;
  if (!stream.destroyed && !stream.headersSent) {
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
