import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SEGMENT_SIZE } from "../../store/tables/audit/audit-index.ts";
import { type AuditKeys, readAuditTimes } from "../../store/tables/audit/entries.ts";
import { addPosition, countPositions, noPositions, type Positions, restrict } from "./positions.ts";
import type { Postings } from "./postings.ts";
import { endOf, type Segment } from "./segments.ts";
import type { Term } from "./terms.ts";

/** Entries that have any of these terms, or none of them if negated. */
export interface Clause {
  readonly terms: readonly Term[];
  readonly negated?: boolean;
  /** Whether an entry has any of the terms, where `terms` lists only those that are indexed. */
  readonly test?: (keys: AuditKeys) => boolean;
}

/** Entries that match all clauses and are within the times. */
export interface Selection {
  readonly clauses: readonly Clause[];
  /** From this time on; milliseconds since 1970. */
  readonly since: number;
  /** Before this time. */
  readonly until: number;
}

/** The selected entries of one segment: at least one. */
export interface Matched {
  readonly segment: number;
  readonly positions: Positions;
  readonly count: number;
}

/** The segments with selected entries, in order, and the number of those entries. */
export interface MatchedSegments {
  readonly matched: readonly Matched[];
  readonly total: number;
}

/** Matches of the segments from `first` up to `end`. */
interface Known extends MatchedSegments {
  readonly first: number;
  readonly end: number;
}

/** The cache of matches, and the approximate memory of one segment. */
const CACHE_BOUNDS = { maxEntries: 500, maxBytes: 32 * 1024 * 1024 };
const MATCHED_BYTES = 320;

/**
 * The selected entries of indexed segments, cached by selection: indexed segments never change, so each page of a list
 * needs only those that were indexed since the page before.
 */
export class Matches {
  readonly #postings: Postings;
  readonly #known = new BoundedCache<string, Known>(CACHE_BOUNDS);

  constructor(postings: Postings) {
    this.#postings = postings;
  }

  /** The selected entries of the given segments, which are all that are indexed at this time. */
  async of(
    reader: Reader,
    segments: readonly Segment[],
    selection: Selection,
    task: SlicedTask,
  ): Promise<MatchedSegments> {
    const [first, end] = [segments[0]?.segment ?? 0, endOf(segments)];
    const key = keyOf(selection);
    const cached = this.#known.get(key);
    const known = cached?.first === first && cached.end <= end ? cached : undefined;
    if (known?.end === end) return known;
    const added = segments.filter(({ segment }) => segment >= (known?.end ?? first));
    const matched = [...(known?.matched ?? [])];
    matched.push(...(await this.#match(reader, added, end, selection, task)));
    const total = matched.reduce((sum, { count }) => sum + count, 0);
    const found = { first, end, matched, total };
    this.#known.set(key, found, key.length + MATCHED_BYTES * (matched.length + 1));
    return found;
  }

  async #match(
    reader: Reader,
    segments: readonly Segment[],
    end: number,
    { clauses, since, until }: Selection,
    task: SlicedTask,
  ): Promise<Matched[]> {
    const within = segments.filter((one) => one.lastTime >= since && one.firstTime < until);
    if (within.length === 0) return [];
    const ofClauses: ReadonlyMap<number, Positions>[] = [];
    for (const { terms } of clauses) {
      ofClauses.push(await this.#postings.ofAny(reader, terms, end, task));
    }
    const matched: Matched[] = [];
    for (const one of within) {
      await task.pause();
      const { segment, present } = one;
      const cut = one.firstTime < since || one.lastTime >= until;
      if (clauses.length === 0 && !cut) {
        matched.push({ segment, positions: present, count: one.count });
        continue;
      }
      if (clauses.some(({ negated = false }, at) => !negated && !ofClauses[at]?.has(segment)))
        continue;
      const positions = present.slice();
      for (const [at, { negated = false }] of clauses.entries()) {
        const found = ofClauses[at]?.get(segment);
        if (found !== undefined) restrict(positions, found, negated);
      }
      if (cut) restrict(positions, await positionsWithin(reader, segment, since, until), false);
      const count = countPositions(positions);
      if (count > 0) matched.push({ segment, positions, count });
    }
    return matched;
  }
}

/** A selection as text that distinguishes what it matches among indexed entries. */
function keyOf({ clauses, since, until }: Selection): string {
  return JSON.stringify([since, until, clauses.map(({ terms, negated }) => [terms, negated])]);
}

/** Entries are recorded in about the order of their times: only few segments are at a bound. */
async function positionsWithin(
  reader: Reader,
  segment: number,
  since: number,
  until: number,
): Promise<Positions> {
  const from = segment * SEGMENT_SIZE;
  const positions = noPositions();
  for (const [id, time] of await readAuditTimes(reader, from, from + SEGMENT_SIZE)) {
    if (time >= since && time < until) addPosition(positions, id - from);
  }
  return positions;
}
