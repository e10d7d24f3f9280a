import type { SlicedTask } from "./time-slices.ts";

/** Items that are sorted or merged between two points where other tasks may run. */
const CHUNK_SIZE = 4_096;

/** Sorts many items without keeping other tasks waiting: merges sorted chunks. */
export async function slicedSort<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  task: SlicedTask,
  chunkSize = CHUNK_SIZE,
): Promise<T[]> {
  let chunks: T[][] = [];
  for (let at = 0; at < items.length; at += chunkSize) {
    chunks.push(items.slice(at, at + chunkSize).sort(compare));
    await task.pause();
  }
  while (chunks.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < chunks.length; at += 2) {
      const [a = [], b = []] = [chunks[at], chunks[at + 1]];
      merged.push(b.length === 0 ? a : await merge(a, b, compare, task, chunkSize));
    }
    chunks = merged;
  }
  return chunks[0] ?? [];
}

async function merge<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  task: SlicedTask,
  chunkSize: number,
): Promise<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const fromA = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push((fromA ? a[i++] : b[j++]) as T);
    if (merged.length % chunkSize === 0) await task.pause();
  }
  return merged;
}
