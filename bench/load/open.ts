/**
 * An open-loop HTTP/1.1 load: requests arrive at random, independently of responses, as those of many clients do. A
 * response time begins when the request was due, so that a slow server cannot slow the load down.
 */
import { doJobs } from "../program.ts";
import { numbers } from "../random.ts";
import { type Connection, withConnections } from "./connection.ts";
import { type RequestJob, requestsOf } from "./requests.ts";

export interface OpenJob extends RequestJob {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second on average; the times between them are exponentially distributed. */
  readonly perSecond: number;
}

export interface OpenLoad {
  /** Response times in milliseconds, in ascending order. */
  readonly times: Float64Array;
  readonly seconds: number;
  /** The mean delay of requests behind their schedule. */
  readonly lateMs: number;
}

async function run(job: OpenJob): Promise<OpenLoad> {
  const next = requestsOf(job);
  const random = numbers(1);
  const exponential = (mean: number) => -mean * Math.log(1 - random() / 2 ** 32);
  const times: number[] = [];
  const idle: Connection[] = [];
  const due: number[] = [];
  const since = new Map<Connection, number>();
  const finished = Promise.withResolvers<void>();
  let isOver = false;
  let late = 0;

  const begin = (connection: Connection, at: number) => {
    since.set(connection, at);
    late += performance.now() - at;
    connection.send(next());
  };
  const answered = (connection: Connection) => {
    times.push(performance.now() - (since.get(connection) ?? 0));
    since.delete(connection);
    const waiting = due.shift();
    if (waiting !== undefined) begin(connection, waiting);
    else {
      idle.push(connection);
      if (isOver && since.size === 0) finished.resolve();
    }
  };
  const ports = Array.from({ length: job.connections }, () => job.port);
  return withConnections(ports, answered, async (connections) => {
    idle.push(...connections);
    const begun = performance.now();
    const until = begun + job.seconds * 1000;
    let arrival = begun;
    const arrive = () => {
      const now = performance.now();
      for (; arrival <= now && arrival < until; arrival += exponential(1000 / job.perSecond)) {
        const connection = openOf(idle);
        if (connection === undefined) due.push(arrival);
        else begin(connection, arrival);
      }
      if (arrival < until) setImmediate(arrive);
      else isOver = true;
      if (isOver && since.size === 0) finished.resolve();
    };
    arrive();
    await finished.promise;
    const seconds = (performance.now() - begun) / 1000;
    return { times: Float64Array.from(times).sort(), seconds, lateMs: late / times.length };
  });
}

/** Takes an idle connection that the server has not closed meanwhile. */
function openOf(idle: Connection[]): Connection | undefined {
  for (let one = idle.pop(); one !== undefined; one = idle.pop()) if (one.isOpen) return one;
  return undefined;
}

doJobs(run);
