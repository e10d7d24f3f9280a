/** Handles streaming calls: health and reflection. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { WharfError } from "../../../lib/errors.ts";
import { discardRest } from "../../http/discard.ts";
import type { Wire } from "../../http/http.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { encodeFrame, FrameReader } from "../frame.ts";
import type { GrpcWire } from "../handler.ts";
import { decompress } from "../request.ts";
import { timeoutMs } from "../timeout.ts";
import type { Trailers } from "../trailers.ts";
import { errorTrailers, OK_TRAILERS } from "../trailers.ts";

/** Sends the messages of the response. */
export interface Outbox {
  send(message: Uint8Array): void;
  /** Ends the call. No effect if it has ended. */
  finish(error?: WharfError): void;
}

/** The events of one call. */
export interface StreamingCall {
  /** A message has arrived. Errors end the call. */
  message(bytes: Uint8Array): void;
  /** The client has sent all messages. */
  end(): void;
  /** The call has ended. */
  closed(): void;
}

export type StreamingMethod = (out: Outbox) => StreamingCall;

/** Runs one streaming call over an HTTP/2 stream. */
export function handleStreaming(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  context: RequestContext,
  path: string,
  method: StreamingMethod,
): void {
  context.method = path.slice(1);
  const out = new StreamOutbox(wire, stream, context);
  const fail = (thrown: unknown) => out.finish(WharfError.from(thrown));
  try {
    // Watch calls have no end of their own, so only the client's deadline applies.
    const { "grpc-timeout": timeout, "grpc-encoding": encoding } = headers;
    const ms = timeoutMs(timeout);
    if (ms !== undefined) context.setTimeLimit(ms, fail);
    // Health and reflection are public.
    const { publicMessageBytes } = wire.limits;
    const reader = new FrameReader(publicMessageBytes, (bytes) => context.announced(bytes));
    const call = method(out);
    wire.streamingCalls.add(out);
    stream.on("close", () => {
      wire.streamingCalls.delete(out);
      context.disconnected();
      call.closed();
    });
    // In order: decompression is asynchronous.
    let last = Promise.resolve();
    let waitingBytes = 0;
    const read = async (chunk: Buffer) => {
      for (const frame of reader.push(chunk)) {
        const coding = encoding as string | undefined;
        call.message(await decompress(frame, coding, publicMessageBytes, context));
      }
      waitingBytes -= chunk.length;
      // Messages that were handled take no memory, however many a call has.
      context.retained(waitingBytes + reader.size);
    };
    stream.on("data", (chunk: Buffer) => {
      try {
        context.received(chunk.length);
      } catch (thrown) {
        fail(thrown);
        return;
      }
      waitingBytes += chunk.length;
      last = last.then(() => read(chunk)).catch(fail);
    });
    stream.on("end", () => {
      last.then(() => reader.end()).then(() => call.end(), fail);
    });
  } catch (thrown) {
    fail(thrown);
  }
}

class StreamOutbox implements Outbox {
  readonly #wire: Wire;
  readonly #stream: ServerHttp2Stream;
  readonly #context: RequestContext;
  #bytesOut = 0;

  constructor(wire: Wire, stream: ServerHttp2Stream, context: RequestContext) {
    this.#wire = wire;
    this.#stream = stream;
    this.#context = context;
  }

  send(message: Uint8Array): void {
    if (this.#stream.closed || this.#stream.writableEnded) return;
    this.#begin();
    const frame = encodeFrame(0, message);
    this.#bytesOut += frame.length;
    this.#stream.write(frame);
    // Clients that send requests without reading responses are disconnected.
    if (this.#stream.writableLength > this.#wire.limits.documentBytes) this.#stream.close();
  }

  finish(error?: WharfError): void {
    if (!this.#context.settle()) return;
    const trailers = error ? errorTrailers(error, this.#wire.errorDomain) : OK_TRAILERS;
    if (!this.#stream.closed) this.#close(trailers);
    this.#context.finished(200, error?.number ?? 0, this.#bytesOut, error);
  }

  #begin(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "x-request-id": this.#context.requestId,
        ...this.#wire.commonHeaders,
      },
      { waitForTrailers: true },
    );
  }

  #close(trailers: Trailers): void {
    this.#begin();
    this.#stream.on("wantTrailers", () => {
      this.#stream.sendTrailers({ ...trailers });
      if (!this.#stream.readableEnded) discardRest(this.#stream);
    });
    this.#stream.end();
  }
}
