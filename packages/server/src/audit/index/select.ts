import type { Reader } from "../../store/db/connection.ts";
import { type AuditKeys, readAuditKeys, readAuditTimes } from "../../store/tables/audit-entries.ts";
import { readPostings, SEGMENT_SIZE } from "../../store/tables/audit-index.ts";
import {
  addPosition,
  countPositions,
  decodePositions,
  listPositions,
  noPositions,
  type Positions,
  restrict,
  unite,
} from "./positions.ts";
import type { Segment } from "./segments.ts";
import { hasTerm, type Term } from "./terms.ts";

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

/** Which of the selected entries a page has. */
export interface PageRequest {
  readonly descending: boolean;
  /** The page begins after the entry with this id. */
  readonly after: number | undefined;
  /** Only entries with ids below this. */
  readonly below?: number | undefined;
  readonly skip: number;
  readonly limit: number;
}

export interface SelectedPage {
  /** The ids of the page, in its order. */
  readonly ids: readonly number[];
  /** The number of all selected entries. */
  readonly total: number;
}

/** Entries read at once of what is not indexed yet. */
const TAIL_BATCH = 1_000;

/** Terms after which other requests get their turn. */
const TERMS_PER_TICK = 50;

/** Selects a page of entries, and counts all. Reads the index, and the entries that it does not cover yet. */
export async function selectPage(
  reader: Reader,
  segments: readonly Segment[],
  selection: Selection,
  page: PageRequest,
): Promise<SelectedPage> {
  const matched = await indexedMatches(reader, segments, selection);
  const end = segments.length === 0 ? 0 : ((segments.at(-1) as Segment).segment + 1) * SEGMENT_SIZE;
  const tail = await tailMatches(reader, selection, end);
  const total = matched.reduce((sum, { count }) => sum + count, tail.length);
  return { ids: pageOf(matched, tail, page), total };
}

interface Matched {
  readonly segment: number;
  readonly positions: Positions;
  readonly count: number;
}

async function indexedMatches(
  reader: Reader,
  segments: readonly Segment[],
  { clauses, since, until }: Selection,
): Promise<Matched[]> {
  const within = segments.filter((one) => one.lastTime >= since && one.firstTime < until);
  const first = within[0];
  const last = within.at(-1);
  if (first === undefined || last === undefined) return [];
  const postings: Map<number, Positions>[] = [];
  for (const { terms } of clauses) {
    postings.push(await positionsOf(reader, terms, first.segment, last.segment + 1));
  }
  const matched: Matched[] = [];
  for (const one of within) {
    const { segment, present } = one;
    const cut = one.firstTime < since || one.lastTime >= until;
    if (clauses.length === 0 && !cut) {
      matched.push({ segment, positions: present, count: one.count });
      continue;
    }
    const positions = present.slice();
    let isEmpty = false;
    for (const [at, { negated = false }] of clauses.entries()) {
      const found = postings[at]?.get(segment);
      if (found !== undefined) restrict(positions, found, negated);
      else if (!negated) isEmpty = true;
    }
    if (isEmpty) continue;
    if (cut) restrict(positions, await positionsWithin(reader, segment, since, until), false);
    const count = countPositions(positions);
    if (count > 0) matched.push({ segment, positions, count });
  }
  return matched;
}

/** The positions of the entries that have any of the terms, by segment. */
async function positionsOf(
  reader: Reader,
  terms: readonly Term[],
  from: number,
  to: number,
): Promise<Map<number, Positions>> {
  const found = new Map<number, Positions>();
  for (const [at, [kind, value]] of terms.entries()) {
    for (const [segment, text] of await readPostings(reader, kind, value, from, to)) {
      const positions = decodePositions(text);
      const others = found.get(segment);
      if (others === undefined) found.set(segment, positions);
      else unite(others, positions);
    }
    if ((at + 1) % TERMS_PER_TICK === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
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

/** The ids of selected entries that the index does not cover yet, in ascending order. */
async function tailMatches(reader: Reader, selection: Selection, from: number): Promise<number[]> {
  const ids: number[] = [];
  for (let next = from; ; ) {
    const rows = await readAuditKeys(reader, next, Number.MAX_SAFE_INTEGER, TAIL_BATCH);
    for (const keys of rows) if (isSelected(selection, keys)) ids.push(keys[0]);
    if (rows.length < TAIL_BATCH) return ids;
    next = (rows.at(-1) as AuditKeys)[0] + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether an entry is selected. */
export function isSelected({ clauses, since, until }: Selection, keys: AuditKeys): boolean {
  const time = keys[1];
  if (time < since || time >= until) return false;
  return clauses.every(({ terms, negated = false, test }) => {
    const has = test?.(keys) ?? terms.some((term) => hasTerm(keys, term));
    return has !== negated;
  });
}

function pageOf(matched: readonly Matched[], tail: readonly number[], page: PageRequest): number[] {
  const { descending, after, below = Number.MAX_SAFE_INTEGER, limit } = page;
  const isAfter = (id: number) => {
    return id < below && (after === undefined || (descending ? id < after : id > after));
  };
  const ids: number[] = [];
  let { skip } = page;
  const take = (one: readonly number[]) => {
    const wanted = one.filter(isAfter);
    if (descending) wanted.reverse();
    ids.push(...wanted.slice(skip, skip + limit - ids.length));
    skip = Math.max(0, skip - wanted.length);
  };
  if (descending) take(tail);
  for (const one of descending ? matched.toReversed() : matched) {
    if (ids.length === limit) return ids;
    const from = one.segment * SEGMENT_SIZE;
    const [lowest, highest] = [from, from + SEGMENT_SIZE - 1];
    // Whole segments are skipped by their counts.
    if (!isAfter(lowest) && !isAfter(highest)) continue;
    if (isAfter(lowest) && isAfter(highest) && skip >= one.count) skip -= one.count;
    else take(listPositions(one.positions).map((at) => from + at));
  }
  if (!descending && ids.length < limit) take(tail);
  return ids;
}
