import type {
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import { http2 } from "../late.ts";
import type { GrpcWire } from "./grpc/handler.ts";
import { handleGrpc } from "./grpc/handler.ts";
import { handleHttp } from "./http-handler.ts";

/** Frames and pings beyond these are an attack or a broken client; either is cut off. */
const MAX_INVALID_FRAMES = 50;
const MAX_REJECTED_STREAMS = 100;
const MAX_PINGS = 10;
const MAX_SETTINGS = 32;
const MAX_HEADER_PAIRS = 128;

/** Megabytes a session may hold: streams × their windows, with room for answers on their way. */
const SESSION_MEMORY_MB = 32;

/** How long a client has to answer the ping that asks whether it is still there. */
const PING_MS = 20_000;

/**
 * The HTTP/2 server. It never listens; connections are given to it. Sessions are put into
 * `sessions` while they are open.
 *
 * @example http2Server(wire, sessions).emit("connection", socket);
 */
export function http2Server(wire: GrpcWire, sessions: Set<ServerHttp2Session>): Http2Server {
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
  server.on("session", (session) => {
    const peer = session.socket.remoteAddress ?? "";
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("stream", (stream, headers) => handleStream(wire, stream, headers, peer));
    // The session closes itself after an error; there is nothing to add.
    session.on("error", () => {});
    session.setTimeout(limits.idleMs, () => checkAlive(session, limits.idleMs));
    if (wire.draining) session.close();
  });
  server.on("sessionError", () => {});
  return server;
}

function handleStream(
  wire: GrpcWire,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  peer: string,
): void {
  const type = headers["content-type"];
  if (type?.startsWith("application/grpc") && !type.startsWith("application/grpc-web")) {
    handleGrpc(wire, stream, headers, peer);
    return;
  }
  stream.on("error", () => {});
  const { Http2ServerRequest, Http2ServerResponse } = http2();
  const request = new Http2ServerRequest(stream, headers, {}, []);
  handleHttp(wire, request, new Http2ServerResponse(stream), peer);
}

/** A quiet session may be waiting on a long call, idle, or dead; who answers a ping may stay. */
function checkAlive(session: ServerHttp2Session, idleMs: number): void {
  const timer = setTimeout(() => session.destroy(), PING_MS).unref();
  session.ping(() => {
    clearTimeout(timer);
    if (!session.destroyed) session.setTimeout(idleMs);
  });
}
