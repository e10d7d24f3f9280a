import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { enlarged } from "./bit-set.ts";
import { IndexedRows } from "./indexed-rows.ts";
import type { RowSource } from "./row-source.ts";

/** Rows whose words are set between two points where other tasks may run. */
const ROWS_PER_STEP = 4_096;

export interface LoadedRows {
  readonly rows: IndexedRows;
  /** The slots of all rows, in the order of uids. */
  readonly byUid: Uint32Array;
}

/** Reads all rows. Those that change meanwhile may have old values, or be missing. */
export async function loadRows(source: RowSource, task: SlicedTask): Promise<LoadedRows> {
  const rows = new IndexedRows();
  const partitionOf = await partitions(source, task);
  const [first = 0] = source.partitions;
  let byUid = new Uint32Array(0);
  let count = 0;
  for await (const { ids, values } of source.uids()) {
    byUid = enlarged(byUid, count + ids.length);
    for (const [at, id] of ids.entries()) {
      byUid[count++] = rows.put(id, values[at] as string, partitionOf.get(id) ?? first);
    }
    await task.pause();
  }
  await loadWords(source, rows, task);
  return { rows, byUid: byUid.slice(0, count) };
}

/** The partition of each row that is not in the first one, which most rows are in. */
async function partitions(source: RowSource, task: SlicedTask): Promise<Map<number, number>> {
  const partitionOf = new Map<number, number>();
  for (const partition of source.partitions.slice(1)) {
    for await (const { ids } of source.times(partition, "updated")) {
      for (const id of ids) partitionOf.set(id, partition);
      await task.pause();
    }
  }
  return partitionOf;
}

/** A row, and a word that it has. */
interface Pairs {
  readonly slots: Uint32Array;
  readonly words: Uint32Array;
}

/** Texts come with their rows, in the order of texts; rows get their words by a counting sort. */
async function loadWords(source: RowSource, rows: IndexedRows, task: SlicedTask): Promise<void> {
  const { slots, words } = await readWords(source, rows, task);
  const starts = new Uint32Array(rows.slots.size + 1);
  const next = (slot: number) => {
    const start = starts[slot] ?? 0;
    starts[slot] = start + 1;
    return start;
  };
  for (const [at, slot] of slots.entries()) {
    next(slot + 1);
    if (at % ROWS_PER_STEP === 0) await task.pause();
  }
  for (let slot = 1; slot < starts.length; slot++) {
    starts[slot] = (starts[slot] ?? 0) + (starts[slot - 1] ?? 0);
    if (slot % ROWS_PER_STEP === 0) await task.pause();
  }
  const sorted = new Uint32Array(words.length);
  for (const [at, slot] of slots.entries()) {
    sorted[next(slot)] = words[at] ?? 0;
    if (at % ROWS_PER_STEP === 0) await task.pause();
  }
  // By now the start of each slot is that of the next one.
  for (let slot = 0; slot < rows.slots.size; slot++) {
    const own = sorted.subarray(slot === 0 ? 0 : starts[slot - 1], starts[slot]);
    if (own.length > 0) rows.setWords(slot, own);
    if (slot % ROWS_PER_STEP === 0) await task.pause();
  }
}

async function readWords(source: RowSource, rows: IndexedRows, task: SlicedTask): Promise<Pairs> {
  let slots = new Uint32Array(0);
  let words = new Uint32Array(0);
  let count = 0;
  let last: string | undefined;
  let word = 0;
  for await (const { ids, values } of source.texts()) {
    slots = enlarged(slots, count + ids.length);
    words = enlarged(words, count + ids.length);
    for (const [at, id] of ids.entries()) {
      const slot = rows.slots.find(id);
      if (slot === undefined) continue;
      const text = values[at] as string;
      if (text !== last) word = rows.words.add(text);
      last = text;
      slots[count] = slot;
      words[count++] = word;
    }
    await task.pause();
  }
  return { slots: slots.subarray(0, count), words: words.subarray(0, count) };
}
