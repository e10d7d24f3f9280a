import type {
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import { http2 } from "../../lib/runtime/lazy-builtins.ts";
import type { GrpcWire } from "../grpc/handler.ts";
import { handleGrpc } from "../grpc/handler.ts";
import { checkWhileOpen } from "../http/idle-connections.ts";
import type { Connection } from "./connections.ts";
import { handleHttp } from "./http-handler.ts";

/** Sessions that exceed these are attacks or broken clients, and are closed. */
const MAX_INVALID_FRAMES = 50;
const MAX_REJECTED_STREAMS = 100;
const MAX_PINGS = 10;
const MAX_SETTINGS = 32;
const MAX_HEADER_PAIRS = 128;

/** Memory of a session in megabytes: streams × window, plus responses in transit. */
const SESSION_MEMORY_MB = 32;

/** Timeout of the keepalive ping. */
const PING_MS = 20_000;

/** Open sessions with their connections. */
export type Sessions = Map<ServerHttp2Session, Connection>;

/** The HTTP/2 server. It never listens: the port passes it connections. Adds open sessions to `sessions`. */
export function http2Server(wire: GrpcWire, sessions: Sessions): Http2Server {
  const { limits } = wire;
  const server = http2().createServer({
    maxSessionInvalidFrames: MAX_INVALID_FRAMES,
    maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
    maxOutstandingPings: MAX_PINGS,
    maxSettings: MAX_SETTINGS,
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    maxSessionMemory: SESSION_MEMORY_MB,
    streamResetBurst: limits.resetBurst,
    streamResetRate: limits.resetsPerSecond,
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      enablePush: false,
    },
  });
  const timeoutMs = Math.min(limits.firstRequestMs, limits.keepAliveMs);
  const check = checkWhileOpen(sessions, timeoutMs, () => endIdleSessions(wire, sessions));
  server.on("session", (session) => {
    const connection = wire.connections.of(session.socket);
    sessions.set(session, connection);
    check();
    session.on("close", () => sessions.delete(session));
    session.on("stream", (stream, headers) => handleStream(wire, stream, headers, connection));
    // The session closes itself after an error.
    session.on("error", () => {});
    session.setTimeout(limits.idleMs, () => checkAlive(session, limits.idleMs));
    if (wire.closing) session.close();
  });
  server.on("sessionError", () => {});
  return server;
}

function handleStream(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  connection: Connection,
): void {
  const type = headers["content-type"];
  if (type?.startsWith("application/grpc") && !type.startsWith("application/grpc-web")) {
    handleGrpc(wire, stream, headers, connection);
    return;
  }
  stream.on("error", () => {});
  const { Http2ServerRequest, Http2ServerResponse } = http2();
  const request = new Http2ServerRequest(stream, headers, {}, []);
  handleHttp(wire, request, new Http2ServerResponse(stream), connection);
}

/** Closes sessions without requests: an open session costs memory even if its client answers pings. */
function endIdleSessions({ limits, observer }: GrpcWire, sessions: Sessions): void {
  const now = performance.now();
  for (const [session, { isIdle, isUnused, lastActivity }] of sessions) {
    const timeout = isUnused ? limits.firstRequestMs : limits.keepAliveMs;
    if (!isIdle || session.closed || now - lastActivity < timeout) continue;
    // Responses in transit are still delivered.
    session.close();
    observer.closed?.("idle");
  }
}

/** A silent session may wait for a long call, or be dead: a ping shows which. */
function checkAlive(session: ServerHttp2Session, idleMs: number): void {
  const timer = setTimeout(() => session.destroy(), PING_MS).unref();
  session.ping(() => {
    clearTimeout(timer);
    if (!session.destroyed) session.setTimeout(idleMs);
  });
}
