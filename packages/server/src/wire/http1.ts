import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { WharfError } from "../lib/errors.ts";
import type { Wire } from "./http.ts";
import { handleHttp } from "./http-handler.ts";
import { statusJson } from "./status.ts";

/** How often the server looks for requests that are late; a fraction of what it looks for. */
const CHECKS_PER_TIMEOUT = 4;

/**
 * The HTTP/1 server. It never listens; connections are given to it.
 *
 * @example http1Server(wire).emit("connection", socket);
 */
export function http1Server(wire: Wire): Server {
  const { limits, connections } = wire;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    handleHttp(wire, request, response, connections.of(request.socket));
  };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: Math.max(limits.requestMs, limits.headersMs),
      connectionsCheckingInterval: Math.ceil(limits.headersMs / CHECKS_PER_TIMEOUT),
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.headerBytes,
      // Refused by us, with a body that says so.
      requireHostHeader: false,
      // What has no body need not be read to its end, which costs a twentieth of a short request.
      optimizeEmptyRequests: true,
    },
    handle,
  );
  // Whether the body is wanted is known only once the headers were looked at.
  server.on("checkContinue", handle);
  server.on("checkExpectation", handle);
  server.on("connect", (_request, socket: Socket) =>
    refuse(wire, {} as NodeJS.ErrnoException, socket),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    refuse(wire, error, socket);
  });
  // A server that does not listen arms its header and request timeouts only when told it does.
  server.emit("listening");
  return server;
}

/** Says what is wrong with bytes that are not a request, and hangs up. */
function refuse(wire: Wire, { code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, error] = faultOf(code);
  const body = statusJson(error, wire.errorDomain);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
    ...wire.commonHeaders,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
  // The client may never close its half.
  socket.setTimeout(wire.limits.silentMs, () => socket.destroy());
}

function faultOf(code: string | undefined): [status: string, error: WharfError] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return [
        "431 Request Header Fields Too Large",
        new WharfError("RESOURCE_EXHAUSTED", "the headers are too large"),
      ];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [
        "408 Request Timeout",
        new WharfError("DEADLINE_EXCEEDED", "the request did not arrive in time"),
      ];
    default:
      return [
        "400 Bad Request",
        new WharfError("INVALID_ARGUMENT", "the request is not valid HTTP"),
      ];
  }
}
