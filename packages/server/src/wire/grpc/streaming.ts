/** Calls with any number of messages either way: health watching and reflection. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { WharfError } from "../../lib/errors.ts";
import { discardRest } from "../discard.ts";
import type { Wire } from "../http.ts";
import type { RequestContext } from "../request-context.ts";
import { encodeFrame, FrameReader } from "./frame.ts";
import { timeoutMs } from "./timeout.ts";
import type { Trailers } from "./trailers.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";
import { unpack } from "./unary.ts";

/** Where the messages of the answer go. */
export interface Outbox {
  send(message: Uint8Array): void;
  /** Ends the call; further calls do nothing. */
  finish(error?: WharfError): void;
}

/** What a method does with one call. */
export interface StreamingCall {
  /** The next message has come. What it throws ends the call. */
  message(bytes: Uint8Array): void;
  /** No more messages will come. */
  end(): void;
  /** The call is over, whoever ended it. */
  closed(): void;
}

export type StreamingMethod = (out: Outbox) => StreamingCall;

/**
 * Runs one streaming call over an HTTP/2 stream.
 *
 * @example handleStreaming(wire, stream, headers, context, path, method);
 */
export function handleStreaming(
  wire: Wire,
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
    // Watching has no natural end, so only the client's own deadline counts.
    const { "grpc-timeout": timeout, "grpc-encoding": encoding } = headers;
    if (timeout !== undefined) context.armWithin(timeoutMs(timeout), fail);
    // Nobody asks who calls health and reflection.
    const { openMessageBytes } = wire.limits;
    const reader = new FrameReader(openMessageBytes);
    const call = method(out);
    stream.on("close", () => {
      context.gone();
      call.closed();
    });
    // One after another, as unpacking may take a moment and order matters.
    let last = Promise.resolve();
    stream.on("data", (chunk: Buffer) => {
      last = last.then(async () => {
        for (const frame of reader.push(chunk)) {
          call.message(await unpack(frame, encoding as string | undefined, openMessageBytes));
        }
      });
      last = last.catch(fail);
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
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#begin();
    const frame = encodeFrame(0, message);
    this.#bytesOut += frame.length;
    this.#stream.write(frame);
    // A client that asks and asks without reading an answer is cut off.
    if (this.#stream.writableLength > this.#wire.limits.messageBytes) this.#stream.close();
  }

  finish(error?: WharfError): void {
    if (!this.#context.settle()) return;
    const trailers = error ? errorTrailers(error, this.#wire.errorDomain) : OK_TRAILERS;
    if (!this.#stream.destroyed) this.#close(trailers);
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
