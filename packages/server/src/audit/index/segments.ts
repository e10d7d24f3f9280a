import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { firstSegment, readSegments } from "../../store/tables/audit/audit-index.ts";
import { countPositions, decodePositions, type Positions } from "./positions.ts";

/** Segments that are read between two points where other requests may run. */
const BATCH_SIZE = 100;

export interface Segment {
  readonly segment: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly present: Positions;
  readonly count: number;
}

/** The first segment that is not indexed. */
export function endOf(segments: readonly Segment[]): number {
  return (segments.at(-1)?.segment ?? -1) + 1;
}

/**
 * The indexed segments, cached: they never change, new ones are added at the end, and retention removes them at the
 * beginning.
 */
export class Segments {
  #cached: Segment[] = [];

  /** The current segments, in order. */
  async read(reader: Reader, task: SlicedTask): Promise<readonly Segment[]> {
    const first = await firstSegment(reader);
    if (first === undefined) {
      this.#cached = [];
      return [];
    }
    const isWhole = (this.#cached[0]?.segment ?? first) >= first;
    const known = isWhole ? this.#cached : this.#cached.filter(({ segment }) => segment >= first);
    const segments = [...known];
    for (let isFull = true; isFull; ) {
      const after = segments.at(-1)?.segment ?? first - 1;
      const added = await readSegments(reader, after + 1, BATCH_SIZE);
      for (const one of added) {
        const present = decodePositions(one.present);
        segments.push({ ...one, present, count: countPositions(present) });
      }
      isFull = added.length === BATCH_SIZE;
      await task.pause();
    }
    if (!isWhole || segments.length > known.length) this.#cached = segments;
    return segments;
  }
}
