/**
 * A closed-loop gRPC load: a few HTTP/2 connections with many concurrent calls on each. Bare node:http2,
 * because a gRPC library would be slower than the server under test. Of responses it checks the status
 * and the length.
 */
import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { framed } from "../grpc-frame.ts";
import { doJobs } from "../program.ts";
import { type Load, Tally } from "./load.ts";

export interface GrpcJob {
  readonly port: number;
  readonly token: string;
  readonly path: string;
  /** Encoded requests, sent in rotation. */
  readonly messages: readonly Uint8Array[];
  readonly connections: number;
  /** Concurrent calls on each connection. */
  readonly calls: number;
  readonly seconds: number;
  /** The expected length of every response message. */
  readonly messageBytes: number;
}

/** Makes one call; resolves when it has succeeded. */
function call(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  request: Buffer,
  answerBytes: number,
  ended: (problem?: Error) => void,
): void {
  const stream = session.request(headers);
  let size = 0;
  let status: unknown;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
  });
  stream.on("trailers", (trailers) => {
    status = trailers["grpc-status"];
  });
  stream.on("close", () => {
    if (status === "0" && size === answerBytes) ended();
    else ended(new Error(`unexpected response: status ${status}, ${size} bytes`));
  });
  stream.on("error", ended);
  stream.end(request);
}

async function run(job: GrpcJob): Promise<Load> {
  const requests = job.messages.map(framed);
  const answerBytes = framed(new Uint8Array(job.messageBytes)).length;
  const headers = {
    ":method": "POST",
    ":path": job.path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${job.token}`,
  };
  const sessions = Array.from({ length: job.connections }, () =>
    connect(`http://127.0.0.1:${job.port}`),
  );
  await Promise.all(sessions.map((session) => once(session, "connect")));
  const tally = new Tally(job.seconds, false);
  let at = 0;
  await new Promise<void>((resolve, reject) => {
    let underWay = job.connections * job.calls;
    const next = (session: ClientHttp2Session) => {
      const request = requests[at++ % requests.length] as Buffer;
      call(session, headers, request, answerBytes, (problem) => {
        if (problem) reject(problem);
        else if (tally.answered()) next(session);
        else if (--underWay === 0) resolve();
      });
    };
    for (const session of sessions) for (let i = 0; i < job.calls; i++) next(session);
  });
  for (const session of sessions) session.close();
  return tally.result();
}

doJobs(run);
