import type { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SharedRead } from "../../store/db/read/shared-read.ts";
import { type Counts, readManyCounts } from "../../store/resources/counts.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import { readLoggedRows } from "../../store/resources/row-log.ts";
import type { RangeSet } from "./range-set.ts";

/** Attempts to read counts between two changes. */
const MAX_ATTEMPTS = 5;

/**
 * The number of rows of a table in each subtree of a set, and of all. After changes, only the counts of the changed
 * subtrees are read again.
 */
export class ScopeCounts {
  readonly #reader: Reader;
  readonly #slices: TimeSlices;
  readonly #table: ResourceTable;
  readonly #set: RangeSet;
  readonly #counts: number[];
  #total = 0;
  #before: number[] | undefined;
  /** The version of the table's rows that was read, -1 before. */
  #version = -1;
  readonly #refreshed = new SharedRead(() => this.#refresh());

  /** Subtrees that were never read. */
  #unread: string[] = [];

  constructor(
    reader: Reader,
    slices: TimeSlices,
    table: ResourceTable,
    set: RangeSet,
    former?: ScopeCounts,
  ) {
    this.#reader = reader;
    this.#slices = slices;
    this.#table = table;
    this.#set = set;
    this.#counts = set.uids.map(() => 0);
    if (former !== undefined) this.#adopt(former);
  }

  /** Takes over the counts of subtrees that another set has as well. */
  #adopt(former: ScopeCounts): void {
    this.#version = former.#version;
    for (const [index, uid] of this.#set.uids.entries()) {
      const at = former.#set.indexOf(uid);
      if (at === undefined || former.#set.uids[at] !== uid) this.#unread.push(uid);
      else this.#counts[index] = former.at(at);
    }
    this.#total = this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** The number of all rows. */
  get total(): number {
    return this.#total;
  }

  /** The number of rows in the subtree at an index. */
  at(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** The index of the subtree that has the row after so many others, and how many rows are in subtrees before it. */
  find(skip: number): { readonly index: number; readonly before: number } {
    this.#before ??= sums(this.#counts);
    const index = firstIndex(this.#before.length - 1, (at) => (this.#before?.[at + 1] ?? 0) > skip);
    return { index, before: this.#before[index] ?? 0 };
  }

  /** Reads what has changed before the call. */
  refresh(): Promise<void> {
    return this.#refreshed.read();
  }

  async #refresh(): Promise<void> {
    const reader = this.#reader;
    const { name } = this.#table.shape;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { version, uids } = await readLoggedRows(reader, name, this.#version);
      if (version === this.#version && this.#unread.length === 0) return;
      const stale = uids === undefined ? this.#set.uids : this.#changedTops(uids);
      await this.#read(stale);
      this.#unread = [];
      this.#version = version;
      if (stale.length === 0) return;
    }
  }

  #changedTops(uids: ReadonlySet<string>): string[] {
    const tops = new Set(this.#unread);
    for (const uid of uids) {
      const index = this.#set.indexOf(uid);
      if (index !== undefined) tops.add(this.#set.uids[index] as string);
    }
    return [...tops];
  }

  async #read(tops: readonly string[]): Promise<void> {
    if (tops.length === 0) return;
    const task = this.#slices.task(String(this.#set.id));
    const { name, isScope } = this.#table.shape;
    const found = new Map<string, Counts>();
    for await (const some of readManyCounts(this.#reader, name, tops)) {
      for (const [uid, counts] of some) found.set(uid, counts);
      await task.pause();
    }
    for (const top of tops) {
      const index = this.#set.indexOf(top) as number;
      const rows = (found.get(top)?.descendants ?? 0) + (isScope ? 1 : 0);
      this.#total += rows - this.at(index);
      this.#counts[index] = rows;
    }
    this.#before = undefined;
  }
}

/** The sums of all numbers before each, and of all. */
function sums(numbers: readonly number[]): number[] {
  const all = [0];
  let sum = 0;
  for (const number of numbers) {
    sum += number;
    all.push(sum);
  }
  return all;
}

/** The first index below a count that meets a condition which all later ones meet, too; the count if none does. */
export function firstIndex(count: number, meets: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (meets(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
