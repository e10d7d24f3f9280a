import { tooMany } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import { type ShareHolder, shareOf } from "../../lib/scheduling/share.ts";
import { type SlicedTask, TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import type { Abandonable } from "../../store/db/store.ts";

/** Such lists of one share that run concurrently. */
const CONCURRENCY = 2;

/** Such lists of one share that wait. Further ones are rejected. */
const MAX_QUEUED = 64;

/**
 * Keeps lists from delaying other requests. All lists of a tick of the event loop share one time slice, so that creates
 * and reads of single resources wait for one slice, not for a list of every connection. A list over many ranges, such as
 * that of a caller with role bindings at thousands of groups, collects the rows of all of them, so only a few of one
 * share run concurrently.
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

  /** A task of other long reads, in the same slices. Shares of callers take turns. */
  task(holder: ShareHolder, request?: Abandonable): SlicedTask {
    return this.#slices.task(shareOf(holder).key, request);
  }

  /** Runs a list over a number of ranges. */
  run<T>(call: Call, ranges: number, list: (task: SlicedTask) => Promise<T>): Promise<T> {
    const { key } = shareOf(call);
    if (ranges <= this.#manyRanges) {
      const task = this.#slices.begin(key, call);
      return task instanceof Promise ? task.then(list) : list(task);
    }
    return this.#running.run(key, async () => {
      const task = this.#slices.task(key, call);
      await task.yield();
      return list(task);
    });
  }
}

function tooManyLists(manyRanges: number): Error {
  const text = `too many lists over more than ${manyRanges} groups at once: try again, or narrow them with uidp.descendants_of`;
  return tooMany(text);
}
