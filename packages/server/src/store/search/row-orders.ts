import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Order, Position, Start } from "../resources/query.ts";
import { BitSet, enlarged } from "./bit-set.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import type { RowFilter } from "./row-filter.ts";
import type { ChangedRow } from "./row-match.ts";
import { type Compare, firstWhere, mergeOrders, RowOrder } from "./row-order.ts";
import type { RowSource } from "./row-source.ts";

type TimeColumn = Exclude<Order["column"], "uid" | "name">;

/** Rows that are looked at between two points where other tasks may run. */
const WALKED_PER_STEP = 8_192;

/** A part of a list in order. */
export interface Page {
  readonly order: Order;
  readonly start?: Start | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** An order by time: the times of rows by slot, and their order once it is loaded. */
class TimeOrder {
  readonly order: RowOrder;
  times = new Float64Array(0);
  loading: Promise<void> | undefined;

  constructor({ slots }: IndexedRows) {
    this.order = new RowOrder((a, b) => {
      return this.timeOf(a) - this.timeOf(b) || slots.idOf(a) - slots.idOf(b);
    });
  }

  timeOf(slot: number): number {
    return this.times[slot] ?? 0;
  }

  set(slot: number, time: number): void {
    this.times = enlarged(this.times, slot + 1);
    this.times[slot] = time;
  }
}

/** The orders of lists. That of uids is always there; those of times are loaded by the first list that needs them. */
export class RowOrders {
  readonly #rows: IndexedRows;
  readonly #source: RowSource;
  readonly #byUid: RowOrder;
  readonly #byTime = new Map<TimeColumn, TimeOrder>();

  constructor(rows: IndexedRows, source: RowSource, byUid: Uint32Array) {
    this.#rows = rows;
    this.#source = source;
    this.#byUid = new RowOrder((a, b) => rows.compareUids(a, b));
    this.#byUid.fill(byUid);
  }

  /** Loads an order. Rows may change meanwhile. */
  async prepare(column: Order["column"], task: SlicedTask): Promise<void> {
    if (column === "uid" || column === "name") return;
    let known = this.#byTime.get(column);
    if (known === undefined) {
      known = new TimeOrder(this.#rows);
      this.#byTime.set(column, known);
      known.loading = this.#load(known, column, task).catch((error) => {
        this.#byTime.delete(column);
        throw error;
      });
    }
    await known.loading;
  }

  /** Times by slot, of an order that is loaded. */
  times(column: TimeColumn): Float64Array {
    return this.#byTime.get(column)?.times ?? new Float64Array(0);
  }

  /** Records that a row is new or has changed. */
  changed(slot: number, row: ChangedRow, isNew: boolean): void {
    if (isNew) this.#byUid.changed(slot, true);
    for (const [column, one] of this.#byTime) {
      // A load reads a row twice if its update time changes meanwhile: such rows count as changed in any case.
      if (!isNew && column !== "updated" && one.timeOf(slot) === row[column]) continue;
      one.set(slot, row[column]);
      one.order.changed(slot, true);
    }
  }

  removed(slot: number): void {
    this.#byUid.changed(slot, false);
    for (const { order } of this.#byTime.values()) order.changed(slot, false);
  }

  /** The positions of a page of the rows that pass a filter. No row may change meanwhile. */
  async page(
    filter: RowFilter,
    { order, start, skip, limit }: Page,
    task: SlicedTask,
  ): Promise<Position[]> {
    const { column, descending } = order;
    const known = this.#orderBy(column);
    const slots = (await filter.sorted(known.compare, task)) ?? (await known.slots(task));
    const step = descending ? -1 : 1;
    const found: Position[] = [];
    let left = skip;
    let at = descending ? slots.length - 1 : 0;
    if (start !== undefined) at = this.#find(slots, order, start);
    for (let walked = 1; at >= 0 && at < slots.length && found.length < limit; walked++) {
      const slot = slots[at] as number;
      at += step;
      if (walked % WALKED_PER_STEP === 0) await task.pause();
      if (!filter.has(slot)) continue;
      if (left > 0) left--;
      else found.push({ key: this.#keyOf(column, slot), id: this.#rows.slots.idOf(slot) });
    }
    return found;
  }

  /** The index of the first row of a page in an order. */
  #find(slots: Uint32Array, { column, descending }: Order, start: Start): number {
    // Whether a row at the very start comes before the others of the page, in ascending order.
    const isBefore = start.inclusive === descending;
    const next = firstWhere(slots, 0, (slot) => {
      const compared = this.#compare(column, slot, start);
      return compared > 0 || (compared === 0 && !isBefore);
    });
    return descending ? next - 1 : next;
  }

  #orderBy(column: Order["column"]): RowOrder {
    const order = column === "uid" ? this.#byUid : this.#byTime.get(column as TimeColumn)?.order;
    if (order === undefined) throw new Error(`the order by ${column} is not loaded`);
    return order;
  }

  #keyOf(column: Order["column"], slot: number): string | number {
    if (column === "uid") return this.#rows.uidOf(slot);
    return this.#byTime.get(column as TimeColumn)?.timeOf(slot) ?? 0;
  }

  #compare(column: Order["column"], slot: number, { key, id }: Position): number {
    const own = this.#keyOf(column, slot);
    if (own !== key) return own < key ? -1 : 1;
    return column === "uid" ? 0 : this.#rows.slots.idOf(slot) - id;
  }

  /** Rows that change meanwhile count as changed: for the others, what was read first is right. */
  async #load(into: TimeOrder, column: TimeColumn, task: SlicedTask): Promise<void> {
    const { slots } = this.#rows;
    const isRead = new BitSet(slots.size);
    let times = new Float64Array(slots.size);
    const compare: Compare = (a, b) =>
      (times[a] ?? 0) - (times[b] ?? 0) || slots.idOf(a) - slots.idOf(b);
    let all: Uint32Array = new Uint32Array(0);
    for (const partition of this.#source.partitions) {
      let own = new Uint32Array(0);
      let count = 0;
      for await (const { ids, values } of this.#source.times(partition, column)) {
        own = enlarged(own, count + ids.length);
        for (const [at, id] of ids.entries()) {
          const slot = slots.allocate(id);
          if (isRead.has(slot)) continue;
          isRead.add(slot);
          times = enlarged(times, slot + 1);
          times[slot] = values[at] as number;
          if (!into.order.hasChanged(slot)) into.set(slot, values[at] as number);
          own[count++] = slot;
        }
        await task.pause();
      }
      all = await mergeOrders(all, own.subarray(0, count), compare, task);
    }
    into.order.fill(all);
  }
}
