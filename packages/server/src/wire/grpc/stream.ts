/** Sends the messages of a method that streams its response, as fast as the client reads. */
import { once } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { WharfError } from "../../lib/errors.ts";
import type { StreamedMessage } from "../../rpc/call.ts";
import type { RequestContext } from "../http/request-context.ts";
import { cancelBody } from "../http/stream.ts";
import { encodeFrame } from "./frame.ts";
import type { GrpcWire } from "./handler.ts";
import type { Outbox } from "./system/handler.ts";
import { errorTrailers, OK_TRAILERS } from "./trailers.ts";

/** Sends all messages, then the trailers. A client that leaves ends the iteration. */
export function sendMessages(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  context: RequestContext,
  messages: AsyncIterable<StreamedMessage>,
): void {
  if (!context.settle() || stream.closed) {
    cancelBody(messages as AsyncIterable<never>);
    return;
  }
  const iterator = messages[Symbol.asyncIterator]();
  let bytesOut = 0;
  let isFinished = false;
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "x-request-id": context.requestId,
      ...context.responseHeaders,
      ...wire.commonHeaders,
    },
    { waitForTrailers: true },
  );
  const outbox: Outbox = {
    send() {},
    finish(error) {
      if (isFinished) return;
      isFinished = true;
      wire.streamingCalls.delete(outbox);
      iterator.return?.().catch(() => {});
      const trailers = error ? errorTrailers(error, wire.errorDomain) : OK_TRAILERS;
      if (!stream.closed) {
        stream.on("wantTrailers", () => stream.sendTrailers({ ...trailers }));
        stream.end();
      }
      context.finished(200, error?.number ?? 0, bytesOut, error);
    },
  };
  wire.streamingCalls.add(outbox);
  stream.on("close", () => {
    outbox.finish(new WharfError("CANCELLED", "the client closed the request"));
  });
  const run = async () => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || isFinished) return;
      const frame = encodeFrame(0, value.binary());
      bytesOut += frame.length;
      if (!stream.write(frame)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    }
  };
  run().then(
    () => outbox.finish(),
    (thrown) => outbox.finish(WharfError.from(thrown)),
  );
}
