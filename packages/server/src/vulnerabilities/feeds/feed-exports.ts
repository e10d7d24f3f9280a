import { WharfError } from "../../lib/errors.ts";
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

interface Waiting {
  readonly address: string;
  go(): void;
}

/** Bounds how many long files of feeds are on their way at once. */
export class FeedExports {
  readonly #limits: ExportLimits;
  readonly #busy = new Map<string, number>();
  #total = 0;
  #waiting: Waiting[] = [];

  constructor(limits: ExportLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Makes a file when there is room for it, for as long as its body is being read. Refuses when there
   * is none for a while.
   */
  async make<T extends Pick<HttpResponse, "body">>(
    address: string,
    file: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await this.#begin(address);
    const end = once(() => this.#end(address));
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

  #hasRoom(address: string): boolean {
    const { most, perAddress } = this.#limits;
    return this.#total < most && (this.#busy.get(address) ?? 0) < perAddress;
  }

  async #begin(address: string): Promise<void> {
    if (!this.#hasRoom(address)) await this.#turn(address);
    else this.#take(address);
  }

  #take(address: string): void {
    this.#total += 1;
    this.#busy.set(address, (this.#busy.get(address) ?? 0) + 1);
  }

  #end(address: string): void {
    this.#total -= 1;
    const left = (this.#busy.get(address) ?? 0) - 1;
    if (left > 0) this.#busy.set(address, left);
    else this.#busy.delete(address);
    const next = this.#waiting.find((one) => this.#hasRoom(one.address));
    next?.go();
  }

  #turn(address: string): Promise<void> {
    if (this.#waiting.length >= this.#limits.waiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooMany());
      }, this.#limits.waitMs);
      const waiting: Waiting = {
        address,
        go: () => {
          clearTimeout(timer);
          leave();
          this.#take(address);
          resolve();
        },
      };
      this.#waiting.push(waiting);
    });
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
