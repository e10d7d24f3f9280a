import type { Reader } from "../../store/db/connection.ts";
import { firstSegment, readSegments } from "../../store/tables/audit-index.ts";
import { countPositions, decodePositions, type Positions } from "./positions.ts";

export interface Segment {
  readonly segment: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly present: Positions;
  readonly count: number;
}

/**
 * The indexed segments, cached: they never change, new ones are added at the end, and retention removes them at the
 * beginning.
 */
export class Segments {
  #cached: Segment[] = [];

  /** The current segments, in order. */
  async read(reader: Reader): Promise<readonly Segment[]> {
    const first = await firstSegment(reader);
    if (first === undefined) {
      this.#cached = [];
      return [];
    }
    const known = this.#cached.filter(({ segment }) => segment >= first);
    const after = known.at(-1)?.segment ?? first - 1;
    const added = await readSegments(reader, after + 1);
    const segments =
      added.length === 0 && known.length === this.#cached.length
        ? this.#cached
        : [
            ...known,
            ...added.map((one) => {
              const present = decodePositions(one.present);
              return { ...one, present, count: countPositions(present) };
            }),
          ];
    this.#cached = segments;
    return segments;
  }
}
