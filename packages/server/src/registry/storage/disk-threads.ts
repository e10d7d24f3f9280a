import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { extname, join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { Worker } from "node:worker_threads";
import type { DiskAnswer, DiskRequest } from "./disk-messages.ts";

/** Beside this file, in the sources and in the build. */
const PROGRAM = `disk-thread${extname(import.meta.filename)}`;

/** One thread hashes some hundred megabytes per second: more than most disks and networks deliver. */
const MAX_THREADS = 4;

/** Bytes that are sent to a thread at a time: writes of each received chunk alone cost a third more CPU. */
export const CHUNK_BYTES = 256 * 1024;

type Body = DiskRequest extends infer R ? (R extends unknown ? Omit<R, "id"> : never) : never;

/** Storage threads, started when they are needed. They do not keep the process from ending. */
export class DiskThreads {
  readonly #threads: DiskThread[] = [];
  #next = 0;

  /** The thread for the next work. */
  take(): DiskThread {
    const count = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));
    const at = this.#next++ % count;
    let thread = this.#threads[at];
    if (thread === undefined || thread.isEnded) {
      thread = new DiskThread();
      this.#threads[at] = thread;
    }
    return thread;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end()));
  }
}

interface Pending {
  resolve(answer: DiskAnswer): void;
  reject(error: Error): void;
}

export class DiskThread {
  readonly #worker: Worker;
  /** By id, in the order of the requests. */
  readonly #pending = new Map<number, Pending[]>();
  #lastId = 0;
  isEnded = false;

  constructor() {
    this.#worker = startWorker();
    this.#worker.unref();
    this.#worker.on("message", (answer: DiskAnswer) => this.#answered(answer));
    this.#worker.on("error", (error: Error) => this.#failed(error));
    this.#worker.on("exit", () => this.#failed(new Error("the storage thread has ended")));
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Sends a request. A transferred buffer is not used again before it comes back. */
  ask(id: number, body: Body): Promise<DiskAnswer> {
    if (this.isEnded) return Promise.reject(new Error("the storage thread has ended"));
    return new Promise((resolve, reject) => {
      const waiting = this.#pending.get(id) ?? [];
      this.#pending.set(id, waiting);
      waiting.push({ resolve, reject });
      this.#worker.ref();
      const transferred = body.kind === "write" ? [body.buffer] : [];
      this.#worker.postMessage({ ...body, id }, transferred);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #answered(answer: DiskAnswer): void {
    const waiting = this.#pending.get(answer.id) ?? [];
    const pending = waiting.shift();
    if (waiting.length === 0) this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (answer.error === undefined) pending?.resolve(answer);
    else {
      const { message, code } = answer.error;
      pending?.reject(Object.assign(new Error(message), { code }));
    }
  }

  #failed(error: Error): void {
    this.isEnded = true;
    const all = [...this.#pending.values()].flat();
    this.#pending.clear();
    for (const { reject } of all) reject(error);
  }
}

let code: string | undefined;

/** The program is read once: a build may replace it under a running server. */
function startWorker(): Worker {
  const path = join(import.meta.dirname, PROGRAM);
  if (extname(PROGRAM) === ".ts") return new Worker(path);
  code ??= isSea() ? getAsset(PROGRAM, "utf8") : readFileSync(path, "utf8");
  return new Worker(code, { eval: true });
}
