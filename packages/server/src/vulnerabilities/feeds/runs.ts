import type { Advisory } from "@wharf/contract";
import { tooLong } from "../../lib/errors.ts";

/** An advisory and its stored size. */
export interface SizedAdvisory {
  readonly advisory: Advisory;
  readonly bytes: number;
}

/** Splits a sequence into chunks of a size. */
export async function* chunksOf<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const one of all) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Groups consecutive advisories with the same key. Throws if a group exceeds the buffer limit. */
export async function* runsOf(
  walk: AsyncIterable<SizedAdvisory>,
  maxBufferedBytes: number,
  keyOf: (advisory: Advisory) => string,
): AsyncGenerator<readonly Advisory[]> {
  let run: Advisory[] = [];
  let key = "";
  let size = 0;
  for await (const { advisory, bytes } of walk) {
    const own = keyOf(advisory);
    if (run.length > 0 && own !== key) {
      yield run;
      [run, size] = [[], 0];
    }
    key = own;
    run.push(advisory);
    size += bytes;
    checkSize(size, maxBufferedBytes);
  }
  if (run.length > 0) yield run;
}

/** Throws if the advisories of one package or record exceed the buffer limit. */
export function checkSize(bytes: number, maxBufferedBytes: number): void {
  if (bytes <= maxBufferedBytes) return;
  throw tooLong("the advisories of one package or record", maxBufferedBytes);
}

/** The advisories of each type of packages with one name. */
export function* packagesAmong(
  advisories: readonly Advisory[],
): Generator<readonly [Advisory, ...Advisory[]]> {
  const types = Map.groupBy(advisories, ({ artifactType }) => artifactType);
  for (const type of [...types.keys()].sort()) {
    yield distinct(types.get(type) ?? []) as [Advisory, ...Advisory[]];
  }
}

/**
 * Removes duplicate ids, and orders by id. Groups of a subtree may have advisories with the same id: a present
 * one takes precedence over a deleted one, then the one nearest to the root.
 */
export function distinct(advisories: readonly Advisory[]): Advisory[] {
  const chosen = new Map<string, Advisory>();
  for (const one of advisories) {
    const other = chosen.get(one.advisoryId);
    if (other === undefined || hasPrecedence(one, other)) chosen.set(one.advisoryId, one);
  }
  return [...chosen.values()].sort((a, b) => (a.advisoryId < b.advisoryId ? -1 : 1));
}

function hasPrecedence(a: Advisory, b: Advisory): boolean {
  const [deletedA, deletedB] = [a.deleteTime !== undefined, b.deleteTime !== undefined];
  if (deletedA !== deletedB) return deletedB;
  return a.uid.length === b.uid.length ? a.uid < b.uid : a.uid.length < b.uid.length;
}
