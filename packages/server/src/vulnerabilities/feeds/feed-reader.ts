import { osvId, type PackageKey } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { tooLong } from "../../lib/errors.ts";
import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { indexable } from "../../store/resources/indexable.ts";
import type { Range } from "../../store/resources/query.ts";
import { countsOf } from "../../store/resources/range-counts.ts";
import type { EncodedRow } from "../../store/resources/rows.ts";
import {
  positionsBelow,
  rowsBelow,
  stepByTerm,
  type TermPosition,
  type TermWalk,
} from "../../store/resources/terms/term-walk.ts";
import { addModifyTimes, addPublishedSources } from "../sources/sources.ts";

/** Advisories per query: a megabyte at most, and a millisecond or two. */
const BATCH_SIZE = 100;

/** The documents of a package depend on all of its advisories, so these are buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** Records per query: each may have some megabytes. */
const SOURCES_BATCH_SIZE = 25;

/** Feeds up to this size are sorted in memory: a few megabytes of keys. */
const MAX_SORTED = 20_000;

/** Keys that are sorted between two points where other requests may run. */
const SORTED_PER_STEP = 512;

/** Reading and sorting one advisory costs about as much as skipping this many of other groups. */
const SORT_COST = 4;

/**
 * Reads the advisories of a group and its subtree in batches, including deleted ones. Other requests run between any two
 * of them: the embedded database reads synchronously, and generating a document takes as long as reading it.
 */
export class FeedReader {
  readonly #engine: Engine;
  readonly #group: string;
  readonly #task: SlicedTask;
  readonly #maxBufferedBytes: number;

  constructor(
    engine: Engine,
    group: string,
    task: SlicedTask,
    maxBufferedBytes: number = MAX_BUFFERED_BYTES,
  ) {
    this.#engine = engine;
    this.#group = group;
    this.#task = task;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  /** All advisories ordered by id, each id once, with the times at which they were modified. */
  async *byId(): AsyncGenerator<Advisory> {
    for await (const page of chunksOf(this.#byId(), BATCH_SIZE)) {
      await addModifyTimes(this.#engine.store.reader, page);
      yield* this.#pausing(page);
    }
  }

  /** The same with the records that they were imported from. */
  async *withSources(): AsyncGenerator<Advisory> {
    for await (const page of chunksOf(this.#byId(), SOURCES_BATCH_SIZE)) {
      await addPublishedSources(this.#engine.store.reader, page);
      yield* this.#pausing(page);
    }
  }

  async *#pausing<T>(all: Iterable<T>): AsyncGenerator<T> {
    for (const one of all) {
      await this.#task.pause();
      yield one;
    }
  }

  async *#byId(): AsyncGenerator<Advisory> {
    const walk = this.#walk({ kind: "id", below: this.#group });
    for await (const same of runsOf(walk, this.#maxBufferedBytes, ({ advisoryId }) => advisoryId))
      yield* distinct(same);
  }

  /** All advisories by package, ordered by package name. */
  async *byPackage(): AsyncGenerator<readonly [Advisory, ...Advisory[]]> {
    const walk = this.#walk({ kind: "artifact", below: this.#group });
    for await (const named of runsOf(
      walk,
      this.#maxBufferedBytes,
      ({ artifactName }) => artifactName,
    )) {
      yield* this.#pausing(packagesAmong(named));
    }
  }

  /** The advisory whose OSV document has this id, with the record that it was imported from. */
  async document(id: string): Promise<Advisory | undefined> {
    // OSV prefixes ids of unregistered databases with x_.
    for (const value of new Set([id, id.replace(/^x_/, "")])) {
      const found = await this.#all({ kind: "id", below: this.#group, value: indexable(value) });
      const [one] = distinct(found).filter((advisory) => osvId(advisory) === id);
      if (one === undefined) continue;
      await addPublishedSources(this.#engine.store.reader, [one]);
      return one;
    }
    return undefined;
  }

  /** The advisories of one package. */
  async ofPackage({ type, name }: PackageKey): Promise<Advisory[]> {
    const value = indexable(name);
    const named = await this.#all({ kind: "artifact", below: this.#group, value });
    return distinct(named.filter(({ artifactType }) => artifactType === type));
  }

  async #all(walk: TermWalk): Promise<Advisory[]> {
    for await (const all of runsOf(this.#walk(walk), this.#maxBufferedBytes, () => ""))
      return [...all];
    return [];
  }

  async *#walk(walk: TermWalk): AsyncGenerator<SizedAdvisory> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const isSmall = walk.value === undefined && (await this.#isSmall());
    for await (const rows of isSmall ? this.#sorted(walk) : this.#scanned(walk)) {
      const page = rows.map((row) => advisories.fromRow(row));
      await advisories.definition.hydrate?.(store.reader, page, this.#engine.catalog);
      for (const [at, advisory] of page.entries()) {
        yield { advisory, bytes: rows[at]?.data?.length ?? 0 };
      }
      await this.#task.pause();
    }
  }

  /** Whether sorting the feed in memory is cheaper than scanning the index of all advisories. */
  async #isSmall(): Promise<boolean> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const count = async (range: Range) =>
      (await countsOf(store.reader, advisories.table, range)).descendants;
    const own = await count({ below: this.#group, self: false });
    return own <= MAX_SORTED && own * SORT_COST < (await count({ everything: true }));
  }

  /** Scans the index of all advisories, skipping those of other groups. */
  async *#scanned(walk: TermWalk): AsyncGenerator<readonly EncodedRow[]> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    let at: TermPosition | undefined;
    do {
      const { rows, next } = await stepByTerm(store.reader, advisories.table, walk, at, BATCH_SIZE);
      yield rows;
      at = next;
    } while (at !== undefined);
  }

  /** The same rows in the same order, by reading only the group and sorting in memory. */
  async *#sorted(walk: TermWalk): AsyncGenerator<readonly EncodedRow[]> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const all: TermPosition[] = [];
    let after: string | undefined;
    do {
      const some = await positionsBelow(store.reader, advisories.table, walk, after, BATCH_SIZE);
      all.push(...some.positions);
      after = some.next;
      await this.#task.pause();
    } while (after !== undefined);
    const sorted = await slicedSort(all, comparePositions, this.#task, SORTED_PER_STEP);
    for (let at = 0; at < sorted.length; at += BATCH_SIZE) {
      const ids = sorted.slice(at, at + BATCH_SIZE).map(({ row }) => row);
      yield await rowsBelow(store.reader, advisories.table, this.#group, ids);
    }
  }
}

function comparePositions(a: TermPosition, b: TermPosition): number {
  return a.value === b.value ? a.row - b.row : a.value < b.value ? -1 : 1;
}

/** An advisory and its stored size. */
interface SizedAdvisory {
  readonly advisory: Advisory;
  readonly bytes: number;
}

async function* chunksOf<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
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
async function* runsOf(
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
    if (size > maxBufferedBytes) throw tooLong("the advisories of one package", maxBufferedBytes);
  }
  if (run.length > 0) yield run;
}

function* packagesAmong(
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
function distinct(advisories: readonly Advisory[]): Advisory[] {
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
