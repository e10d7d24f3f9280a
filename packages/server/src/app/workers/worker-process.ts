import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { Receiver } from "./dispatcher.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** The descriptor of the pipe for the writer mutex, in a worker. */
export const MUTEX_FD = 4;

export interface WorkerEvents {
  message(from: WorkerProcess, message: FromWorker): void;
  /** Whole lines of its log. */
  logged(lines: string): void;
  ended(worker: WorkerProcess, code: number | null, signal: NodeJS.Signals | null): void;
}

/** The program of workers: a file, and its arguments. */
export interface WorkerProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/** Worker process as the supervisor sees it. */
export class WorkerProcess implements Receiver {
  readonly number: number;
  readonly started = performance.now();
  /** Its pipe for the writer mutex. */
  readonly mutexPipe: Duplex;
  isReady = false;
  /** Pings since its last answer. */
  unansweredPings = 0;
  readonly #child: ChildProcess;
  /** Connections for it, which go elsewhere if it ends before it has received them. */
  #connections: Socket[] = [];
  /** Connection in transfer. A worker confirms it before it reads from it. */
  #passing: Socket | undefined;

  constructor({ file, args }: WorkerProgram, start: WorkerStart, events: WorkerEvents) {
    this.number = start.worker;
    this.#child = fork(file, args, {
      serialization: "advanced",
      stdio: ["ignore", "inherit", "pipe", "ipc", "pipe"],
    });
    this.mutexPipe = this.#child.stdio[MUTEX_FD] as Duplex;
    forwardLines(this.#child.stderr as Readable, (lines) => events.logged(lines));
    this.#child.on("message", (message) => {
      const received = message as FromWorker;
      if (received.kind === "accepted") this.#passed();
      else events.message(this, received);
    });
    // Messages to a process that has ended fail; "close" says so.
    this.#child.on("error", () => {});
    // Comes after the last line of its log, and after its last message.
    this.#child.once("close", (code, signal) => events.ended(this, code, signal));
    this.send({ kind: "start", start });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToWorker, socket?: Socket): void {
    // An open socket can be passed on to another worker.
    if (this.#child.connected) this.#child.send(message, socket, { keepOpen: true }, () => {});
  }

  receive(socket: Socket): void {
    this.#connections.push(socket);
    this.#passNext();
  }

  ping(): void {
    this.unansweredPings++;
    this.send({ kind: "ping" });
  }

  /** Whether it has received all connections. */
  get hasReceivedAll(): boolean {
    return this.#passing === undefined && this.#connections.length === 0;
  }

  /** Connections that were not sent to it yet. The one under way is its own as long as it runs. */
  takeBackUnsent(): Socket[] {
    const connections = this.#connections;
    this.#connections = [];
    return connections;
  }

  /** After its end: connections that it has not received. */
  takeBack(): Socket[] {
    const passing = this.#passing;
    this.#passing = undefined;
    return [...(passing ? [passing] : []), ...this.takeBackUnsent()];
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #passNext(): void {
    if (this.#passing !== undefined) return;
    this.#passing = this.#connections.shift();
    if (this.#passing !== undefined) this.send({ kind: "connection" }, this.#passing);
  }

  /** The worker has its own descriptor of the connection now. */
  #passed(): void {
    this.#passing?.destroy();
    this.#passing = undefined;
    this.#passNext();
  }
}

/** Several processes write to one log: each line stays whole. */
function forwardLines(output: Readable, write: (lines: string) => void): void {
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) rest += text;
    else {
      write(rest + text.slice(0, end));
      rest = text.slice(end);
    }
  });
  output.on("end", () => {
    if (rest !== "") write(`${rest}\n`);
  });
}
