/** A closed-loop HTTP/1.1 load: each connection sends a request, waits for the response, and sends the next. */
import { doJobs } from "../program.ts";
import { type Connection, withConnections } from "./connection.ts";
import { type Load, Tally } from "./load.ts";
import { type RequestJob, requestsOf } from "./requests.ts";

export type { Target } from "./requests.ts";

export interface HttpJob extends RequestJob {
  /** Connections are distributed over several ports. */
  readonly port: number | readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** The expected length of every response, where it is fixed. */
  readonly bodyBytes?: number;
}

/** Up to this many connections, response times are measured: with more, they say how long the queue is. */
const MAX_TIMED_CONNECTIONS = 16;

async function run(job: HttpJob): Promise<Load> {
  const next = requestsOf(job);
  const finished = Promise.withResolvers<void>();
  let tally: Tally | undefined;
  const sent = new Map<Connection, number>();
  const send = (connection: Connection) => {
    sent.set(connection, performance.now());
    connection.send(next());
  };
  let underWay = job.connections;
  const answered = (connection: Connection, bodyBytes: number) => {
    if (job.bodyBytes !== undefined && job.bodyBytes !== bodyBytes) {
      const expected = `a response has ${bodyBytes} bytes instead of ${job.bodyBytes}`;
      finished.reject(new Error(expected));
    } else if (tally?.answered(sent.get(connection))) send(connection);
    else if (--underWay === 0) finished.resolve();
  };
  const ports = typeof job.port === "number" ? [job.port] : job.port;
  const each = Array.from({ length: job.connections }, (_, at) => ports[at % ports.length]);
  return withConnections(each as number[], answered, async (connections) => {
    const begun = new Tally(job.seconds, job.connections <= MAX_TIMED_CONNECTIONS);
    tally = begun;
    for (const connection of connections) send(connection);
    await finished.promise;
    return begun.result();
  });
}

doJobs(run);
