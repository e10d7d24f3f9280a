import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { extname, join } from "node:path";
import { ChildProgram } from "../../../lib/child-program.ts";
import { WharfError } from "../../../lib/errors.ts";
import type { Statement } from "../connection.ts";
import { DataFileReplaced } from "./data-files.ts";
import type { Answer, Failed, Measured, Task } from "./reader-messages.ts";

/** Beside this file, in the sources and in the build. */
export const PROGRAM = join(import.meta.dirname, `reader-process${extname(import.meta.filename)}`);

/** Grace period of an abandoned statement: less than a new process takes to start. */
const GRACE_MS = 100;

/** Processes end after this time without a statement. */
const IDLE_MS = 60_000;

/** The end of its standard error that is kept for the log. */
const MAX_STDERR_CHARS = 4_000;

const PROBE: Statement = { kind: "get", sql: "SELECT 1", params: [] };

/** A process that ended on its own, or did not start, with its exit code or signal and its standard error. */
export class ReaderProcessFailed extends Error {
  override readonly name = "ReaderProcessFailed";
}

export interface ReaderProcessOptions {
  /** `PROGRAM`, or that of a test. */
  readonly program?: ChildProgram;
  readonly graceMs?: number;
  readonly idleMs?: number;
}

/** Reader processes, started when they are needed. As many run as statements at the same time. */
export class ReaderProcesses {
  readonly #task: Task;
  readonly #program: ChildProgram;
  readonly #graceMs: number;
  readonly #idleMs: number;
  readonly #all = new Set<ReaderProcess>();
  /** The last one is used first, so that the others expire when there is little to do. */
  readonly #idle: ReaderProcess[] = [];
  #isClosed = false;
  /** Whether a process has failed, and none has answered since. */
  #hasFailed = false;

  constructor(task: Task, options: ReaderProcessOptions = {}) {
    const { program = new ChildProgram(PROGRAM), graceMs = GRACE_MS, idleMs = IDLE_MS } = options;
    this.#task = task;
    this.#program = program;
    this.#graceMs = graceMs;
    this.#idleMs = idleMs;
  }

  /** The ids of the processes. */
  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? []);
  }

  /** Settles when the process is free again or was ended, shortly after the signal is aborted. */
  async run(statement: Statement, signal: AbortSignal): Promise<Measured> {
    if (this.#isClosed) throw interrupted();
    const reader = this.#idle.pop() ?? this.#start();
    let grace: NodeJS.Timeout | undefined;
    const interrupt = () => {
      grace = setTimeout(() => reader.end(), this.#graceMs);
    };
    signal.addEventListener("abort", interrupt);
    try {
      const answer = await reader.run(statement);
      this.#hasFailed = false;
      return answer;
    } catch (error) {
      if (error instanceof ReaderProcessFailed) this.#hasFailed = true;
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(grace);
      signal.removeEventListener("abort", interrupt);
      if (!reader.isEnded) {
        this.#idle.push(reader);
        reader.rest(this.#idleMs);
      }
    }
  }

  /** After a failure: throws while processes cannot be started. */
  async check(): Promise<void> {
    if (this.#hasFailed) await this.run(PROBE, new AbortController().signal);
  }

  /** Ends all processes; their statements fail. */
  end(): void {
    for (const reader of this.#all) reader.end();
  }

  /** Ends all processes, and starts no others. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }

  #start(): ReaderProcess {
    const onEnd = (reader: ReaderProcess) => {
      this.#all.delete(reader);
      const at = this.#idle.indexOf(reader);
      if (at >= 0) this.#idle.splice(at, 1);
    };
    try {
      const reader = new ReaderProcess(this.#program, this.#task, onEnd);
      this.#all.add(reader);
      return reader;
    } catch (error) {
      // Out of processes or memory.
      this.#hasFailed = true;
      throw new ReaderProcessFailed((error as Error).message, { cause: error });
    }
  }
}

interface Pending {
  resolve(answer: Measured): void;
  reject(error: unknown): void;
}

/** Reader process, which runs one statement at a time. */
class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #onEnd: (reader: ReaderProcess) => void;
  #pending: Pending | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #stderr = "";
  isEnded = false;

  constructor(program: ChildProgram, task: Task, onEnd: (reader: ReaderProcess) => void) {
    this.#onEnd = onEnd;
    const { SystemRoot } = process.env;
    // Nothing of this process's secrets; Windows needs the variable.
    const env = SystemRoot === undefined ? {} : { SystemRoot };
    this.#child = program.start([JSON.stringify(task)], { env, stderr: "pipe" });
    this.#child.on("message", (answer) => this.#answered(answer as Answer));
    const stderr = this.#child.stderr as Socket;
    stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARS);
    });
    this.#child.on("error", (error) => this.end(new ReaderProcessFailed(error.message)));
    // Comes after the last of its output.
    this.#child.on("close", (code, signal) => {
      const outcome = signal === null ? `exit code ${code}` : `signal ${signal}`;
      this.end(new ReaderProcessFailed(`${outcome}: ${this.#stderr || "no message"}`));
    });
    // It ends with this process, and does not keep it from ending.
    this.#child.unref();
    this.#child.channel?.unref();
    stderr.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  run(statement: Statement): Promise<Measured> {
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      // A process that cannot be reached has ended, which says why.
      this.#child.send(statement, () => {});
    });
  }

  /** Ends the process unless it gets another statement within a time. */
  rest(ms: number): void {
    const expire = () => {
      if (this.#pending === undefined) this.end();
    };
    this.#idleTimer = this.#idleTimer?.refresh() ?? setTimeout(expire, ms).unref();
  }

  /** Kills the process, whatever it does. Its statement fails with the reason. */
  end(reason: Error = interrupted()): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.#idleTimer);
    this.#child.kill("SIGKILL");
    this.#onEnd(this);
    this.#settle()?.reject(reason);
  }

  #answered(answer: Answer): void {
    const pending = this.#settle();
    if ("result" in answer) pending?.resolve(answer);
    else pending?.reject(errorOf(answer));
  }

  #settle(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#child.channel?.unref();
    return pending;
  }
}

function errorOf({ message, errcode, replaced }: Failed): Error {
  if (replaced !== undefined) return new DataFileReplaced(replaced);
  return Object.assign(new Error(message), { errcode });
}

function interrupted(): WharfError {
  return new WharfError("UNAVAILABLE", "the read was interrupted: try again");
}
