import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { WharfError } from "../../lib/errors.ts";
import type { Wire } from "../http/http.ts";
import { IdleSockets } from "../http/idle-connections.ts";
import { statusJson } from "../http/status.ts";
import { handleHttp } from "./http-handler.ts";

/** Checks of request timeouts per timeout. */
const CHECKS_PER_TIMEOUT = 4;

/** The HTTP/1 server. It never listens: the port passes it connections. */
export function http1Server(wire: Wire): Server {
  const { limits, connections } = wire;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    handleHttp(wire, request, response, connections.of(request.socket));
  };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      // Of the whole request, which may be an upload: other requests have a deadline.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.ceil(limits.headersMs / CHECKS_PER_TIMEOUT),
      // Idle connections are closed apart from it.
      keepAliveTimeout: 0,
      maxHeaderSize: limits.headerBytes,
      // host.ts rejects such requests with an error body.
      requireHostHeader: false,
      // Skips reading empty bodies to their end: 5% of a short request.
      optimizeEmptyRequests: true,
    },
    handle,
  );
  const idle = new IdleSockets(wire);
  server.on("connection", (socket: Socket) => idle.add(socket));
  // `100 Continue` is sent once the headers have been checked.
  server.on("checkContinue", handle);
  server.on("checkExpectation", handle);
  server.on("connect", (_request, socket: Socket) =>
    reject(wire, {} as NodeJS.ErrnoException, socket),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    reject(wire, error, socket);
  });
  // A server that does not listen starts its timeout checks only at this event.
  server.emit("listening");
  return server;
}

/** Answers bytes that are not an HTTP request, and closes the connection. */
function reject(wire: Wire, { code }: NodeJS.ErrnoException, socket: Socket): void {
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
  socket.setTimeout(wire.limits.handshakeMs, () => socket.destroy());
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
