import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { Worker } from "node:worker_threads";
import { Semaphore } from "../../lib/scheduling/semaphore.ts";
import { type ReportReader, type ReportReading, readReport } from "../scans/read-report.ts";
import type {
  DocumentReading,
  DocumentRequest,
  ReportRequest,
  ThreadAnswer,
} from "./document-messages.ts";
import { readFile } from "./read-document.ts";

/** Beside this file, in the sources and in the build. */
const PROGRAM = `document-thread${extname(import.meta.filename)}`;

/** Larger documents take longer to read than a request may be delayed: they are read in a thread. */
const MAX_INLINE_BYTES = 512 * 1024;

/** Each key takes up to some milliseconds. */
const MAX_INLINE_KEYS = 4;

/** The heap of the thread: several times what the largest documents need. */
const MAX_HEAP_MB = 1024;

/** A document is garbage soon after it was read: in a small nursery, V8 copies most of it twice. */
const NURSERY_MB = 64;

/** Once the thread has had nothing to do for so long, it ends: it keeps the memory of the largest document. */
const IDLE_MS = 30_000;

interface Pending {
  resolve(answer: ThreadAnswer): void;
  reject(error: Error): void;
}

/** A request to the thread. */
type Question = Omit<DocumentRequest, "id"> | Omit<ReportRequest, "id">;

const TOO_LARGE = `needs more than ${MAX_HEAP_MB} MiB of memory`;

/** Reads documents and reports: small ones at once, others in a thread, which is started when it is needed. */
export class DocumentReader implements ReportReader {
  readonly #pending = new Map<number, Pending>();
  /** One large document at a time: if the thread runs out of memory, it is because of this one. */
  readonly #semaphore = new Semaphore(1);
  #isClosed = false;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  async read(request: Omit<DocumentRequest, "id">): Promise<readonly DocumentReading[]> {
    const { bytes, isCompressed, signature } = request;
    const isSmall = !isCompressed && bytes.length <= MAX_INLINE_BYTES;
    if (isSmall && (signature?.keys.length ?? 0) <= MAX_INLINE_KEYS) return readFile(request);
    const answer = await this.#readInThread(request);
    return answer?.readings ?? [{ refusal: { code: "too_large", message: TOO_LARGE } }];
  }

  async readReport(report: Uint8Array): Promise<ReportReading> {
    if (report.length <= MAX_INLINE_BYTES) return readReport(report);
    const answer = await this.#readInThread({ report });
    return answer?.report ?? { refusal: `content ${TOO_LARGE}` };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Undefined if the thread ran out of memory. */
  async #readInThread(question: Question): Promise<ThreadAnswer | undefined> {
    try {
      return await this.#semaphore.run(() => this.#ask(question));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
      return undefined;
    }
  }

  async #ask(question: Question): Promise<ThreadAnswer> {
    if (this.#isClosed) throw new Error("the reader is closed");
    const id = ++this.#lastId;
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ ...question, id } satisfies DocumentRequest | ReportRequest);
    });
    if (this.#pending.size === 0) {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  #start(): Worker {
    const worker = startWorker();
    worker.unref();
    worker.on("message", (answer: ThreadAnswer) => {
      this.#pending.get(answer.id)?.resolve(answer);
      this.#pending.delete(answer.id);
    });
    worker.on("error", (error: Error) => this.#failed(worker, error));
    worker.on("exit", () => this.#failed(worker, new Error("the thread has ended")));
    this.#worker = worker;
    return worker;
  }

  #failed(worker: Worker, error: Error): void {
    if (this.#worker !== worker && this.#worker !== undefined) return;
    this.#worker = undefined;
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of all) reject(error);
  }
}

let code: string | undefined;

/** The program is read once: a build may replace it under a running server. */
function startWorker(): Worker {
  const path = join(import.meta.dirname, PROGRAM);
  const resourceLimits = {
    maxOldGenerationSizeMb: MAX_HEAP_MB,
    maxYoungGenerationSizeMb: NURSERY_MB,
  };
  if (extname(PROGRAM) === ".ts") return new Worker(path, { resourceLimits });
  code ??= isSea() ? getAsset(PROGRAM, "utf8") : readFileSync(path, "utf8");
  return new Worker(code, { eval: true, resourceLimits });
}
