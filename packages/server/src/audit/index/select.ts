import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SEGMENT_SIZE } from "../../store/tables/audit/audit-index.ts";
import { type AuditKeys, readAuditKeys, readAuditTimes } from "../../store/tables/audit/entries.ts";
import {
  addPosition,
  countPositions,
  hasPosition,
  listPositions,
  noPositions,
  type Positions,
  restrict,
} from "./positions.ts";
import type { Postings } from "./postings.ts";
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

/** What is indexed: segments, and the postings of their terms. */
export interface AuditIndex {
  readonly segments: readonly Segment[];
  readonly postings: Postings;
}

/** The first segment that is not indexed. */
export function endOf(segments: readonly Segment[]): number {
  return (segments.at(-1)?.segment ?? -1) + 1;
}

/** Entries read at once of what is not indexed yet. */
const TAIL_BATCH = 200;

/**
 * Selects a page of entries, and counts all. Reads the index, and the entries that it does not cover yet. Other requests
 * run between any two segments.
 */
export async function selectPage(
  reader: Reader,
  { segments, postings }: AuditIndex,
  selection: Selection,
  page: PageRequest,
  task: SlicedTask,
): Promise<SelectedPage> {
  const end = endOf(segments);
  const matched = await indexedMatches(reader, { segments, postings }, selection, task);
  const tail = await tailMatches(reader, selection, end * SEGMENT_SIZE, task);
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
  { segments, postings }: AuditIndex,
  { clauses, since, until }: Selection,
  task: SlicedTask,
): Promise<Matched[]> {
  const within = segments.filter((one) => one.lastTime >= since && one.firstTime < until);
  if (within.length === 0) return [];
  const ofClauses: ReadonlyMap<number, Positions>[] = [];
  for (const { terms } of clauses) {
    ofClauses.push(await postings.ofAny(reader, terms, endOf(segments), task));
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

/**
 * Counts the selected entries of equal intervals between `since` and `until`. Only segments that an interval ends in
 * need the times of their entries.
 */
export async function countByTime(
  reader: Reader,
  index: AuditIndex,
  selection: Selection,
  intervals: number,
  task: SlicedTask,
): Promise<number[]> {
  const { since, until } = selection;
  const counts = new Array<number>(intervals).fill(0);
  const at = (time: number) => Math.floor(((time - since) * intervals) / (until - since));
  const add = (time: number, count = 1) => {
    const interval = at(time);
    if (interval >= 0 && interval < intervals) counts[interval] = (counts[interval] ?? 0) + count;
  };
  const times = new Map(index.segments.map((one) => [one.segment, one] as const));
  for (const { segment, positions, count } of await indexedMatches(
    reader,
    index,
    selection,
    task,
  )) {
    const { firstTime = 0, lastTime = 0 } = times.get(segment) ?? {};
    if (at(firstTime) === at(lastTime)) {
      add(firstTime, count);
      continue;
    }
    const from = segment * SEGMENT_SIZE;
    for (const [id, time] of await readAuditTimes(reader, from, from + SEGMENT_SIZE)) {
      if (hasPosition(positions, id - from)) add(time);
    }
    await task.pause();
  }
  const end = endOf(index.segments) * SEGMENT_SIZE;
  await tailRows(reader, selection, end, task, ([, time]) => add(time));
  return counts;
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
async function tailMatches(
  reader: Reader,
  selection: Selection,
  from: number,
  task: SlicedTask,
): Promise<number[]> {
  const ids: number[] = [];
  await tailRows(reader, selection, from, task, ([id]) => ids.push(id));
  return ids;
}

/** Visits the selected entries that the index does not cover yet, in ascending order. */
async function tailRows(
  reader: Reader,
  selection: Selection,
  from: number,
  task: SlicedTask,
  visit: (keys: AuditKeys) => void,
): Promise<void> {
  for (let next = from; ; ) {
    const rows = await readAuditKeys(reader, next, Number.MAX_SAFE_INTEGER, TAIL_BATCH);
    for (const keys of rows) if (isSelected(selection, keys)) visit(keys);
    if (rows.length < TAIL_BATCH) return;
    next = (rows.at(-1) as AuditKeys)[0] + 1;
    await task.pause();
  }
}

/** Whether an entry is selected. */
function isSelected({ clauses, since, until }: Selection, keys: AuditKeys): boolean {
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
