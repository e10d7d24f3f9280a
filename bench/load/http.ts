/**
 * A closed-loop HTTP/1.1 load: bare keep-alive sockets with one request at a time on each. Of responses it
 * reads only the status and the length, to use little CPU.
 */
import { connect, type Socket } from "node:net";
import { doJobs } from "../program.ts";
import { type Load, Tally } from "./load.ts";

export interface Target {
  readonly path: string;
  /** Overrides that of the job. */
  readonly method?: HttpJob["method"];
  readonly body?: string;
  /** Overrides that of the job. */
  readonly token?: string;
}

export interface HttpJob {
  /** Connections are distributed over several ports. */
  readonly port: number | readonly number[];
  readonly token: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Sent in rotation. */
  readonly targets: readonly Target[];
  /** The content type of bodies; JSON by default. */
  readonly bodyType?: string;
  readonly connections: number;
  readonly seconds: number;
  /** The expected length of every response, where it is fixed. */
  readonly bodyBytes?: number;
}

const RECEIVE_BYTES = 64 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;

function requestOf(job: HttpJob, target: Target): Buffer {
  const { path, method = job.method, body, token = job.token } = target;
  const { bodyType = "application/json" } = job;
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1"];
  if (token !== "") head.push(`Authorization: Bearer ${token}`);
  if (body !== undefined)
    head.push(`Content-Type: ${bodyType}`, `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/** One connection: sends a request, waits for the whole response, sends the next. */
class Connection {
  readonly #next: () => Buffer;
  readonly #done: (bodyBytes: number) => boolean;
  readonly #socket: Socket;
  readonly ended: Promise<void>;
  #stop: () => void = () => {};
  #fail: (error: Error) => void = () => {};
  /** Remaining bytes of the current response; -1 before its head. */
  #missing = -1;
  #length = 0;
  #head: Buffer | undefined;

  constructor(port: number, next: () => Buffer, done: (bodyBytes: number) => boolean) {
    this.#next = next;
    this.#done = done;
    this.ended = new Promise<void>((resolve, reject) => {
      this.#stop = resolve;
      this.#fail = reject;
    });
    const buffer = Buffer.allocUnsafe(RECEIVE_BYTES);
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer,
        callback: (size: number) => {
          this.#read(buffer.subarray(0, size));
          return true;
        },
      },
    });
    this.#socket.on("error", this.#fail);
    this.#socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  opened(): Promise<void> {
    return new Promise((resolve) => this.#socket.once("connect", () => resolve()));
  }

  send(): void {
    this.#socket.write(this.#next());
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    if (this.#missing < 0) {
      if (this.#head !== undefined) rest = Buffer.concat([this.#head, chunk]);
      const end = rest.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(rest);
        return;
      }
      this.#head = undefined;
      const head = rest.toString("latin1", 0, end + 2);
      const length = LENGTH.exec(head)?.[1];
      if (!head.startsWith("HTTP/1.1 200") || length === undefined) {
        this.#fail(new Error(`unexpected response: ${rest.toString().slice(0, 1000)}`));
        return;
      }
      this.#length = Number(length);
      this.#missing = this.#length;
      rest = rest.subarray(end + HEAD_END.length);
    }
    this.#missing -= rest.length;
    if (this.#missing > 0) return;
    this.#missing = -1;
    if (this.#done(this.#length)) this.send();
    else {
      this.#socket.removeAllListeners("close");
      this.#socket.destroy();
      this.#stop();
    }
  }
}

async function run(job: HttpJob): Promise<Load> {
  const requests = job.targets.map((target) => requestOf(job, target));
  let at = 0;
  const next = () => requests[at++ % requests.length] as Buffer;
  let tally: Tally | undefined;
  const done = (bodyBytes: number) => {
    if (job.bodyBytes !== undefined && job.bodyBytes !== bodyBytes) {
      throw new Error(`a response has ${bodyBytes} bytes instead of ${job.bodyBytes}`);
    }
    return tally?.answered() ?? false;
  };
  const ports = typeof job.port === "number" ? [job.port] : job.port;
  const connections = Array.from({ length: job.connections }, (_, at) => {
    return new Connection(ports[at % ports.length] as number, next, done);
  });
  await Promise.all(connections.map((connection) => connection.opened()));
  tally = new Tally(job.seconds, job.connections === 1);
  for (const connection of connections) connection.send();
  await Promise.all(connections.map((connection) => connection.ended));
  return tally.result();
}

doJobs(run);
