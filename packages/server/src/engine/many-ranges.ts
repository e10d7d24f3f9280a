import { WharfError } from "../lib/errors.ts";
import { KeyedSemaphore } from "../lib/semaphore.ts";
import { type SlicedTask, TimeSlices } from "../lib/time-slices.ts";
import type { Call } from "../rpc/call.ts";
import type { Reader } from "../store/db/connection.ts";
import { type Counts, readManyCounts } from "../store/resources/counts.ts";
import type { Range } from "../store/resources/query.ts";
import type { ResourceTable } from "../store/resources/resource-table.ts";

/** Lists over more ranges than this are bounded per caller. */
const MANY_RANGES = 100;

/** Such lists of one caller that run at the same time. */
const CONCURRENCY = 2;

/** Such lists of one caller that wait for their turn. */
const MAX_QUEUED = 16;

/**
 * Bounds what lists cost other callers. Each range of a list takes a statement or more on the only
 * thread, and a caller with role bindings at thousands of groups has as many ranges. So lists run in
 * time slices, in which callers take turns, and only a few lists over many ranges of one caller run at
 * the same time.
 */
export class ListScheduler {
  readonly #slices = new TimeSlices();
  readonly #running = new KeyedSemaphore({
    perKey: CONCURRENCY,
    maxQueuedPerKey: MAX_QUEUED,
    rejection: tooMany,
  });

  /** Runs a list over so many ranges. */
  run<T>(
    { caller, signal }: Call,
    ranges: number,
    list: (task: SlicedTask) => Promise<T>,
  ): Promise<T> {
    const begin = () => this.#slices.task(caller.uid, signal);
    if (ranges <= MANY_RANGES) return list(begin());
    return this.#running.run(caller.uid, async () => {
      const task = begin();
      await task.yield();
      return list(task);
    });
  }
}

function tooMany(): Error {
  return new WharfError(
    "RESOURCE_EXHAUSTED",
    `too many lists over more than ${MANY_RANGES} groups at once: try again, or narrow them with uidp.descendants_of`,
  );
}

/** Many ranges of a list, without those that have no rows, and the counts of the places they hang on. */
export interface CountedRanges {
  readonly ranges: readonly Range[];
  readonly counts?: ReadonlyMap<string, Counts>;
}

/**
 * Reads the counts of many subtrees with few statements, and drops subtrees without rows. Other ranges
 * are left as they are.
 *
 * @example const { ranges, counts } = await countMany(reader, table, stretches, task);
 */
export async function countMany(
  reader: Reader,
  table: ResourceTable,
  ranges: readonly Range[],
  task: SlicedTask,
): Promise<CountedRanges> {
  const { name, partitions } = table.shape;
  const scopes = ranges.flatMap((range) => ("below" in range ? [range.below] : []));
  if (ranges.length <= MANY_RANGES || partitions !== undefined || scopes.length < ranges.length) {
    return { ranges };
  }
  const counts = new Map<string, Counts>();
  for await (const some of readManyCounts(reader, name, scopes)) {
    for (const [uid, one] of some) counts.set(uid, one);
    await task.pause();
  }
  return { ranges: ranges.filter((range) => rowsIn(table, counts, range) > 0), counts };
}

/**
 * How many rows a subtree has, by counts that were read before.
 *
 * @example const total = ranges.reduce((sum, range) => sum + rowsIn(table, counts, range), 0);
 */
export function rowsIn(
  { shape }: ResourceTable,
  counts: ReadonlyMap<string, Counts>,
  range: Range,
): number {
  if (!("below" in range)) return 0;
  const itself = range.self && shape.isScope ? 1 : 0;
  return (counts.get(range.below)?.descendants ?? 0) + itself;
}
