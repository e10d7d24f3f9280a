import { tooMany } from "../lib/errors.ts";
import { KeyedSemaphore } from "../lib/semaphore.ts";
import { type SlicedTask, TimeSlices } from "../lib/time-slices.ts";
import type { Call } from "../rpc/call.ts";

/** Such lists of one caller that run concurrently. */
const CONCURRENCY = 2;

/** Such lists of one caller that wait. Further ones are rejected. */
const MAX_QUEUED = 16;

/**
 * Keeps expensive lists from delaying other callers. Each range of a list takes a statement or more on
 * the only thread, and a caller with role bindings at thousands of groups has as many ranges. So lists
 * run in time slices, scheduled fairly by caller, and only a few lists over many ranges of one caller
 * run concurrently.
 */
export class ListScheduler {
  readonly #manyRanges: number;
  readonly #slices = new TimeSlices();
  readonly #running = new KeyedSemaphore({
    perKey: CONCURRENCY,
    maxQueuedPerKey: MAX_QUEUED,
    rejection: () => tooManyLists(this.#manyRanges),
  });

  constructor(manyRanges: number) {
    this.#manyRanges = manyRanges;
  }

  /** Runs a list over a number of ranges. */
  run<T>(
    { caller, signal }: Call,
    ranges: number,
    list: (task: SlicedTask) => Promise<T>,
  ): Promise<T> {
    const begin = () => this.#slices.task(caller.uid, signal);
    if (ranges <= this.#manyRanges) return list(begin());
    return this.#running.run(caller.uid, async () => {
      const task = begin();
      await task.yield();
      return list(task);
    });
  }
}

function tooManyLists(manyRanges: number): Error {
  const text = `too many lists over more than ${manyRanges} groups at once: try again, or narrow them with uidp.descendants_of`;
  return tooMany(text);
}
