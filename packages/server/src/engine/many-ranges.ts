import { tooMany } from "../lib/errors.ts";
import { KeyedSemaphore } from "../lib/semaphore.ts";
import { type SlicedTask, TimeSlices } from "../lib/time-slices.ts";
import type { Call } from "../rpc/call.ts";
import type { Reader } from "../store/db/connection.ts";
import { type Counts, readManyCounts } from "../store/resources/counts.ts";
import type { Range } from "../store/resources/query.ts";
import type { ResourceTable } from "../store/resources/resource-table.ts";

/** Such lists of one caller that run concurrently. */
const CONCURRENCY = 2;

/** Such lists of one caller that wait. Further ones are rejected. */
const MAX_QUEUED = 16;

/**
 * Keeps lists from delaying other requests. All lists of a tick of the event loop share one time slice, so that creates
 * and reads of single resources wait for one slice, not for a list of every connection. Each range of a list takes a
 * statement or more on the only thread, and a caller with role bindings at thousands of groups has as many ranges, so
 * only a few lists over many ranges of one caller run concurrently.
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
  run<T>(call: Call, ranges: number, list: (task: SlicedTask) => Promise<T>): Promise<T> {
    const { uid } = call.caller;
    if (ranges <= this.#manyRanges) {
      const task = this.#slices.begin(uid, call);
      return task instanceof Promise ? task.then(list) : list(task);
    }
    return this.#running.run(uid, async () => {
      const task = this.#slices.task(uid, call);
      await task.yield();
      return list(task);
    });
  }
}

function tooManyLists(manyRanges: number): Error {
  const text = `too many lists over more than ${manyRanges} groups at once: try again, or narrow them with uidp.descendants_of`;
  return tooMany(text);
}

/** The ranges of a list without empty ones, and the counts of the scopes they are below. */
export interface CountedRanges {
  readonly ranges: readonly Range[];
  readonly counts?: ReadonlyMap<string, Counts>;
}

/**
 * Reads the counts of many subtrees with few statements, and drops empty subtrees. Other ranges stay
 * as they are.
 */
export async function countMany(
  reader: Reader,
  table: ResourceTable,
  ranges: readonly Range[],
  { manyRanges, task }: { manyRanges: number; task: SlicedTask },
): Promise<CountedRanges> {
  const { name, partitions } = table.shape;
  const scopes = ranges.flatMap((range) => ("below" in range ? [range.below] : []));
  if (ranges.length <= manyRanges || partitions !== undefined || scopes.length < ranges.length) {
    return { ranges };
  }
  const counts = new Map<string, Counts>();
  for await (const some of readManyCounts(reader, name, scopes)) {
    for (const [uid, one] of some) counts.set(uid, one);
    await task.pause();
  }
  return { ranges: ranges.filter((range) => rowsIn(table, counts, range) > 0), counts };
}

/** The number of rows of a subtree, from counts that were read before. */
export function rowsIn(
  { shape }: ResourceTable,
  counts: ReadonlyMap<string, Counts>,
  range: Range,
): number {
  if (!("below" in range)) return 0;
  const itself = range.self && shape.isScope ? 1 : 0;
  return (counts.get(range.below)?.descendants ?? 0) + itself;
}
