import { Readable } from "node:stream";
import { tooMany, WharfError } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http/http.ts";

/** Limits of concurrent exports, which are files that cover a whole feed. */
export interface ExportLimits {
  /** Each takes some megabytes, and a share of the event loop. */
  readonly concurrency: number;
  /** Per client network, so that none can block the others. */
  readonly concurrencyPerAddress: number;
  /** Requests that may wait; more would only time out. */
  readonly maxWaiting: number;
  /** Milliseconds that a request waits. */
  readonly waitTimeoutMs: number;
  /** Milliseconds that a client may take to read: enough for a million advisories on a slow line. */
  readonly readTimeoutMs: number;
}

const LIMITS: ExportLimits = {
  concurrency: 8,
  concurrencyPerAddress: 4,
  maxWaiting: 32,
  waitTimeoutMs: 5_000,
  readTimeoutMs: 30 * 60_000,
};

/** The Retry-After of rejected requests. */
const RETRY_AFTER_SECONDS = 30;

type Chunks = Exclude<HttpResponse["body"], string | Uint8Array | Readable>;

/** Limits concurrent exports, in total and per client network. */
export class FeedExports {
  readonly #limits: ExportLimits;
  readonly #semaphore: KeyedSemaphore;

  constructor(limits: ExportLimits = LIMITS) {
    this.#limits = limits;
    this.#semaphore = new KeyedSemaphore({
      perKey: limits.concurrencyPerAddress,
      total: limits.concurrency,
      maxQueued: limits.maxWaiting,
      maxWaitMs: limits.waitTimeoutMs,
      rejection: tooManyExports,
    });
  }

  /**
   * Creates a file once the limits permit it; it counts until its body is read. Rejects after the wait
   * timeout.
   */
  async create<T extends Pick<HttpResponse, "body">>(
    address: string,
    file: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await this.#semaphore.acquire(address);
    const end = once(() => this.#semaphore.release(address));
    try {
      const made = await file();
      const body = made?.body;
      if (body instanceof Readable) {
        boundStream(body, this.#limits.readTimeoutMs, end);
        return made;
      }
      if (made !== undefined && typeof body === "object" && Symbol.asyncIterator in body) {
        return { ...made, body: new BoundedChunks(body, this.#limits.readTimeoutMs, end) };
      }
      end();
      return made;
    } catch (error) {
      end();
      throw error;
    }
  }
}

/** Reports the end of a stream, which a timeout enforces. */
function boundStream(stream: Readable, readTimeoutMs: number, end: () => void): void {
  const timer = setTimeout(() => stream.destroy(notReadInTime()), readTimeoutMs).unref();
  stream.once("close", () => {
    clearTimeout(timer);
    end();
  });
}

function notReadInTime(): WharfError {
  return new WharfError("DEADLINE_EXCEEDED", "the client did not read the file in time");
}

/** Chunks that report their end, which a timeout enforces if the client does not read on. */
class BoundedChunks implements AsyncIterableIterator<string | Uint8Array> {
  readonly #chunks: AsyncIterator<string | Uint8Array>;
  readonly #end: () => void;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  constructor(chunks: Chunks, readTimeoutMs: number, end: () => void) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#end = end;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      void this.return();
    }, readTimeoutMs).unref();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string | Uint8Array>> {
    if (this.#isLate) throw notReadInTime();
    try {
      const result = await this.#chunks.next();
      if (result.done) this.#finish();
      return result;
    } catch (error) {
      this.#finish();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.#finish();
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#end();
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

function tooManyExports(): WharfError {
  const text = "too many concurrent feed exports: try again later";
  return new HttpFault(tooMany(text, RETRY_AFTER_SECONDS), 503);
}
