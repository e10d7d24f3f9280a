/** Ends a port without losing requests. */
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server, Socket } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";
import { WharfError } from "../../lib/errors.ts";
import type { GrpcWire } from "../grpc/handler.ts";
import type { Health } from "../grpc/system/health.ts";
import type { Sessions } from "./http2.ts";

/** Components of an open port. */
export interface OpenPort {
  readonly wire: GrpcWire;
  readonly health: Health;
  readonly listener: Server;
  readonly http1: HttpServer;
  readonly sessions: Sessions;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Stops accepting connections, ends those without requests, waits for requests in progress, and closes what is left
 * after `graceMs`.
 *
 * HTTP/2 clients get one GOAWAY, with the last stream that is processed: they can retry later streams elsewhere. The
 * advance GOAWAY of RFC 9113 is impossible, because Node.js ignores all streams after any GOAWAY.
 */
export async function closePort(port: OpenPort, graceMs: number): Promise<void> {
  const { wire, health, listener, http1, sessions, sockets } = port;
  wire.draining = true;
  wire.closing = true;
  // Reads the kernel's buffers first: closing would reset connections and requests in them.
  await nextTick();
  const closed = listener.listening ? once(listener, "close") : allClosed(sockets);
  listener.close();
  health.close();
  const stopping = new WharfError("UNAVAILABLE", "the server is stopping");
  for (const call of wire.streamingCalls) call.finish(stopping);
  for (const session of sessions.keys()) session.close();
  await nextTick();
  http1.close();
  http1.closeIdleConnections();
  for (const socket of sockets) if (isSilent(wire, socket)) socket.destroy();
  const cutOff = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  await closed;
  clearTimeout(cutOff);
}

/** For connections that the listener has not accepted itself. */
async function allClosed(sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) await new Promise((resolve) => socket.once("close", resolve));
}

/** Whether the client has connected but sent nothing, as balancers do that keep spare connections. */
function isSilent({ connections }: GrpcWire, socket: Socket): boolean {
  return socket.bytesRead === 0 && connections.of(socket).isUnused;
}
