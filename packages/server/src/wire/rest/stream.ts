/** Streams the messages of a method as server-sent events. */
import type { Writable } from "node:stream";
import { WharfError } from "../../lib/errors.ts";
import type { StreamedMessage } from "../../rpc/call.ts";
import type { HttpContext } from "../http/reply.ts";
import { statusJson } from "../http/status.ts";

/** Comments keep the connection open through proxies, and find clients that are gone. */
const HEARTBEAT_MS = 15_000;

/** Sends all messages, each with its id. An error after the first byte is an event of the type `error`. */
export function sendServerSentEvents(
  { wire, context, request, response }: HttpContext,
  messages: AsyncIterable<StreamedMessage>,
): void {
  const iterator = messages[Symbol.asyncIterator]();
  const body = response as unknown as Writable;
  const { origin } = request.headers;
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": context.requestId,
    // Proxies that buffer would hold events back.
    "x-accel-buffering": "no",
    ...context.responseHeaders,
    ...wire.commonHeaders,
    ...(origin === undefined ? undefined : wire.cors.headersFor(origin)),
  });
  let bytes = 0;
  let isFinished = false;
  const write = (text: string) => {
    bytes += Buffer.byteLength(text);
    return response.write(text);
  };
  const finish = (error?: WharfError) => {
    if (isFinished) return;
    isFinished = true;
    clearInterval(heartbeat);
    iterator.return?.().catch(() => {});
    if (error && !body.destroyed) {
      write(`event: error\ndata: ${statusJson(error, wire.errorDomain)}\n\n`);
    }
    response.end();
    context.finished(200, error?.number ?? 0, bytes, error);
  };
  const heartbeat = setInterval(() => write(":\n\n"), HEARTBEAT_MS);
  // Sends the headers.
  write(":\n\n");
  if (request.method === "HEAD") {
    finish();
    return;
  }
  response.on("close", () => finish(new WharfError("CANCELLED", "the client closed the request")));
  const run = async () => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || isFinished) return;
      const isRead = write(`id: ${value.id}\ndata: ${value.json()}\n\n`);
      if (!isRead)
        await new Promise<void>((resolve) => {
          body.once("drain", resolve);
          body.once("close", resolve);
        });
    }
  };
  run().then(
    () => finish(),
    (thrown) => finish(WharfError.from(thrown)),
  );
}
