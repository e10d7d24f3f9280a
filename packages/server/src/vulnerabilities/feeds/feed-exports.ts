import { WharfError } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/semaphore.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http.ts";

/** How many long files of feeds are made at a time, and how long anyone waits. */
export interface ExportLimits {
  /** Each takes some megabytes, and its share of the one thread that makes them. */
  readonly most: number;
  /** Of which so many go to one address: nobody keeps all the others from their feeds. */
  readonly perAddress: number;
  /** So many wait for the end of one; more would only wait in vain. */
  readonly waiting: number;
  /** Milliseconds that anyone waits. */
  readonly waitMs: number;
  /** Milliseconds that a file may take: a feed of a million, on a slow line. */
  readonly longestMs: number;
}

const LIMITS: ExportLimits = {
  most: 8,
  perAddress: 4,
  waiting: 32,
  waitMs: 5_000,
  longestMs: 30 * 60_000,
};

/** What those who waited in vain are told to wait before they ask again, in seconds. */
const RETRY_AFTER = "30";

type Pieces = Exclude<HttpResponse["body"], string | Uint8Array>;

/** Bounds how many long files of feeds are on their way at once. */
export class FeedExports {
  readonly #limits: ExportLimits;
  readonly #semaphore: KeyedSemaphore;

  constructor(limits: ExportLimits = LIMITS) {
    this.#limits = limits;
    this.#semaphore = new KeyedSemaphore({
      perKey: limits.perAddress,
      total: limits.most,
      maxQueued: limits.waiting,
      maxWaitMs: limits.waitMs,
      rejection: tooMany,
    });
  }

  /**
   * Makes a file when there is room for it, for as long as its body is being read. Refuses when there
   * is none for a while.
   *
   * @example const content = await exports.make(clientNetwork(request.remoteAddress), () => feedFile(file, source));
   */
  async make<T extends Pick<HttpResponse, "body">>(
    address: string,
    file: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await this.#semaphore.acquire(address);
    const end = once(() => this.#semaphore.release(address));
    try {
      const made = await file();
      const body = made?.body;
      if (made !== undefined && typeof body === "object" && Symbol.asyncIterator in body) {
        return { ...made, body: new BoundedPieces(body, this.#limits.longestMs, end) };
      }
      end();
      return made;
    } catch (error) {
      end();
      throw error;
    }
  }
}

/** Pieces that say when they are over, which they are after a while whoever reads them. */
class BoundedPieces implements AsyncIterableIterator<string | Uint8Array> {
  readonly #pieces: AsyncIterator<string | Uint8Array>;
  readonly #end: () => void;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  constructor(pieces: Pieces, longestMs: number, end: () => void) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#end = end;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      void this.return();
    }, longestMs).unref();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string | Uint8Array>> {
    if (this.#isLate) throw new WharfError("DEADLINE_EXCEEDED", "the file was not read in time");
    try {
      const result = await this.#pieces.next();
      if (result.done) this.#over();
      return result;
    } catch (error) {
      this.#over();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.#over();
    await this.#pieces.return?.();
    return { done: true, value: undefined };
  }

  #over(): void {
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

function tooMany(): WharfError {
  const error = new WharfError("RESOURCE_EXHAUSTED", "too many feeds are read at once: try again");
  return new HttpFault(error, 503, { "retry-after": RETRY_AFTER });
}
