import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Connection } from "../port/connections.ts";
import type { HttpIn, Wire } from "./http.ts";
import type { HttpContext } from "./reply.ts";

/** Checks of idle connections per timeout. */
const CHECKS_PER_TIMEOUT = 4;

/** Runs a check at an interval while connections are open. Returns what each new connection calls. */
export function checkWhileOpen(
  open: { readonly size: number },
  timeoutMs: number,
  check: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    check();
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return () => {
    timer ??= setInterval(run, Math.ceil(timeoutMs / CHECKS_PER_TIMEOUT)).unref();
  };
}

interface OpenSocket {
  readonly connection: Connection;
  /** At the last check: bytes since then are the beginning of a request. */
  bytesRead: number;
}

/**
 * Closes HTTP/1 connections without requests. The timer that Node.js would set and clear for each request takes a
 * thirtieth of the time of a short one.
 */
export class IdleSockets {
  readonly #wire: Pick<Wire, "limits" | "connections" | "observer">;
  readonly #open = new Map<Socket, OpenSocket>();
  readonly #check: () => void;

  constructor(wire: Pick<Wire, "limits" | "connections" | "observer">) {
    this.#wire = wire;
    this.#check = checkWhileOpen(this.#open, wire.limits.keepAliveMs, () => this.close());
  }

  add(socket: Socket): void {
    const connection = this.#wire.connections.of(socket);
    this.#open.set(socket, { connection, bytesRead: socket.bytesRead });
    socket.once("close", () => this.#open.delete(socket));
    this.#check();
  }

  /** Closes those that are idle at a time. */
  close(now = performance.now()): void {
    const { limits, observer } = this.#wire;
    const latest = now - limits.keepAliveMs;
    for (const [socket, open] of this.#open) {
      const { isIdle, isUnused, lastActivity } = open.connection;
      // Not for ever: the rest of a body that was answered already must arrive in time, too.
      const hasRead =
        socket.bytesRead !== open.bytesRead &&
        now - lastActivity < limits.keepAliveMs + limits.requestMs;
      open.bytesRead = socket.bytesRead;
      // The first request has the time limit of its headers. A client may still be reading the last response.
      if (hasRead || !isIdle || isUnused || lastActivity > latest || socket.writableLength > 0) {
        continue;
      }
      socket.destroy();
      observer.closed?.("idle");
    }
  }
}

/** Clients that do not read must not hold the socket and the memory for longer than idle ones. */
export function closeIfUnread({ wire, request, response }: HttpContext): void {
  response.setTimeout(wire.limits.idleMs, () => response.destroy());
  if (request.httpVersionMajor > 1) return;
  // It is a timeout of the socket, which is idle after the response.
  const { socket } = request as HttpIn & IncomingMessage;
  response.on("close", () => socket.setTimeout(0));
}
