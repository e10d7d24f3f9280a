import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import { WharfError } from "../../../lib/errors.ts";
import { childProcess } from "../../../lib/lazy-builtins.ts";
import type { Statement } from "../connection.ts";
import { DataFileReplaced } from "./data-files.ts";
import type { Answer, Failed, Measured, Task } from "./reader-messages.ts";

/** Beside this file, in the sources and in the build. */
const PROGRAM = join(import.meta.dirname, `reader-process${extname(import.meta.filename)}`);

/** How long a statement may go on that nobody waits for any more: less than a new process takes to start. */
const GRACE_MS = 100;

/** Processes end after this time without a statement. */
const IDLE_MS = 60_000;

export interface ReaderProcessOptions {
  readonly graceMs?: number;
  readonly idleMs?: number;
}

/** Reader processes, started when they are needed. As many run as statements at the same time. */
export class ReaderProcesses {
  readonly #task: Task;
  readonly #graceMs: number;
  readonly #idleMs: number;
  readonly #all = new Set<ReaderProcess>();
  /** The last one is used first, so that the others expire when there is little to do. */
  readonly #idle: ReaderProcess[] = [];
  #isClosed = false;

  constructor(task: Task, { graceMs = GRACE_MS, idleMs = IDLE_MS }: ReaderProcessOptions = {}) {
    this.#task = task;
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
      return await reader.run(statement);
    } catch (error) {
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
      const reader = new ReaderProcess(this.#task, onEnd);
      this.#all.add(reader);
      return reader;
    } catch (error) {
      // Out of processes or memory.
      throw interrupted(error);
    }
  }
}

interface Pending {
  resolve(answer: Measured): void;
  reject(error: unknown): void;
}

/** One reader process, which runs one statement at a time. */
class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #onEnd: (reader: ReaderProcess) => void;
  #pending: Pending | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  isEnded = false;

  constructor(task: Task, onEnd: (reader: ReaderProcess) => void) {
    this.#onEnd = onEnd;
    const { SystemRoot } = process.env;
    this.#child = childProcess().fork(PROGRAM, [JSON.stringify(task)], {
      // Nothing of this process's options or secrets; Windows needs the variable.
      execArgv: [],
      env: SystemRoot === undefined ? {} : { SystemRoot },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (answer) => this.#answered(answer as Answer));
    for (const event of ["error", "exit", "disconnect"]) this.#child.on(event, () => this.end());
    // It ends with this process, and does not keep it from ending.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  run(statement: Statement): Promise<Measured> {
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#child.send(statement, (error) => {
        if (error) this.end();
      });
    });
  }

  /** Ends the process unless it gets another statement within a time. */
  rest(ms: number): void {
    const expire = () => {
      if (this.#pending === undefined) this.end();
    };
    this.#idleTimer = this.#idleTimer?.refresh() ?? setTimeout(expire, ms).unref();
  }

  /** Kills the process, whatever it does. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.#idleTimer);
    this.#child.kill("SIGKILL");
    this.#onEnd(this);
    this.#settle()?.reject(interrupted());
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

function interrupted(cause?: unknown): WharfError {
  return new WharfError("UNAVAILABLE", "the read was interrupted: try again", undefined, cause);
}
