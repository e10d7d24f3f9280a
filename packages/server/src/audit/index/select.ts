import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SEGMENT_SIZE } from "../../store/tables/audit/audit-index.ts";
import { type AuditKeys, readAuditKeys, readAuditTimes } from "../../store/tables/audit/entries.ts";
import type { Matched, Matches, Selection } from "./matches.ts";
import { hasPosition, listPositions } from "./positions.ts";
import { endOf, type Segment } from "./segments.ts";
import { hasTerm } from "./terms.ts";

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

/** What is indexed: segments, and the entries in them that selections match. */
export interface AuditIndex {
  readonly segments: readonly Segment[];
  readonly matches: Matches;
}

/** Entries read at once of what is not indexed yet. */
const TAIL_BATCH = 200;

/**
 * Selects a page of entries, and counts all. Reads the index, and the entries that it does not cover yet. Other requests
 * run between any two segments.
 */
export async function selectPage(
  reader: Reader,
  { segments, matches }: AuditIndex,
  selection: Selection,
  page: PageRequest,
  task: SlicedTask,
): Promise<SelectedPage> {
  const { matched, total } = await matches.of(reader, segments, selection, task);
  const tail = await tailMatches(reader, selection, endOf(segments) * SEGMENT_SIZE, task);
  return { ids: pageOf(matched, tail, page), total: total + tail.length };
}

/**
 * Counts the selected entries of equal intervals between `since` and `until`. Only segments that an interval ends in
 * need the times of their entries.
 */
export async function countByTime(
  reader: Reader,
  { segments, matches }: AuditIndex,
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
  const times = new Map(segments.map((one) => [one.segment, one] as const));
  const { matched } = await matches.of(reader, segments, selection, task);
  for (const { segment, positions, count } of matched) {
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
  const end = endOf(segments) * SEGMENT_SIZE;
  await tailRows(reader, selection, end, task, ([, time]) => add(time));
  return counts;
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
