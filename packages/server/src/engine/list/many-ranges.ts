import { tooMany } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import { ownerOf, type ShareHolder, shareOf } from "../../lib/scheduling/share.ts";
import type { SlicedTask, TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import type { Abandonable } from "../../store/db/store.ts";

/** Such lists of one share that run concurrently. */
const CONCURRENCY = 2;

/** Such lists of one share that wait. Further ones are rejected. */
const MAX_QUEUED = 64;

/**
 * Bounds lists over many ranges, such as that of a caller with role bindings at thousands of groups, which collects the
 * rows of all of them: only a few of one share run concurrently.
 */
export class ListScheduler {
  readonly #manyRanges: number;
  readonly #slices: TimeSlices;
  readonly #running = new KeyedSemaphore({
    perKey: CONCURRENCY,
    maxQueuedPerKey: MAX_QUEUED,
    rejection: () => tooManyLists(this.#manyRanges),
  });

  constructor(manyRanges: number, slices: TimeSlices) {
    this.#manyRanges = manyRanges;
    this.#slices = slices;
  }

  /** A task that pauses between slices, for long reads of a request that has begun. */
  task(holder: ShareHolder, request?: Abandonable): SlicedTask {
    return this.#slices.task(ownerOf(holder), request);
  }

  /** Runs a list over a number of ranges. */
  run<T>(call: Call, ranges: number, list: (task: SlicedTask) => Promise<T>): Promise<T> {
    const task = this.task(call, call);
    if (ranges <= this.#manyRanges) return list(task);
    return this.#running.run(shareOf(call).key, async () => {
      await task.yield();
      return list(task);
    });
  }
}

function tooManyLists(manyRanges: number): Error {
  const text = `too many lists over more than ${manyRanges} groups at once: try again, or narrow them with uidp.descendants_of`;
  return tooMany(text);
}
