import { ownerOf, type Work } from "../../store/tables/exposure/work/work.ts";

/** Writes what was read, and finishes the work: no other work is written meanwhile. */
export type WriteResult = () => Promise<void>;

/** Reads what work needs, outside of transactions and beside other work. */
export type WorkReader = (work: Work, signal: AbortSignal) => Promise<WriteResult>;

/** Reads at a time: each may need a process with a gigabyte of memory. */
const CONCURRENCY = 3;

/** Reads at a time for one organization: its images must not hold up those of others, however long reading them takes. */
const PER_OWNER = 2;

export interface FinishedRead {
  readonly work: Work;
  /** Rejects if reading has failed. */
  readonly write: WriteResult;
}

/** Work that is being read, or was read and is to be written. */
export class ConcurrentReads {
  readonly #read: WorkReader;
  readonly #signal: AbortSignal;
  readonly #onFinished: () => void;
  readonly #running = new Map<string, Promise<void>>();
  #finished: FinishedRead[] = [];

  constructor(read: WorkReader, signal: AbortSignal, onFinished: () => void) {
    this.#read = read;
    this.#signal = signal;
    this.#onFinished = onFinished;
  }

  get isFull(): boolean {
    return this.#running.size >= CONCURRENCY;
  }

  /** The keys of the work that was started. */
  get keys(): readonly string[] {
    return [...this.#running.keys(), ...this.#finished.map(({ work }) => work.key)];
  }

  /** Organizations that have as many reads as one may have. */
  get busyOwners(): readonly string[] {
    const owners = Map.groupBy([...this.#running.keys()], ownerOf);
    return [...owners].filter(([, keys]) => keys.length >= PER_OWNER).map(([owner]) => owner);
  }

  start(work: Work): void {
    const finished = this.#read(work, this.#signal)
      .catch((error) => () => Promise.reject(error))
      .then((write) => {
        this.#running.delete(work.key);
        this.#finished.push({ work, write });
        this.#onFinished();
      });
    this.#running.set(work.key, finished);
  }

  /** Removes and returns what was read. */
  take(): readonly FinishedRead[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  /** Resolves when nothing is read any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
