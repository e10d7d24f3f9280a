import { osvId, ownOsvId, type PackageKey } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
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
import { addPublishedSources, type RecordCache } from "../sources/definition.ts";
import {
  checkSize,
  chunksOf,
  distinct,
  packagesAmong,
  runsOf,
  type SizedAdvisory,
} from "./runs.ts";

/** Advisories per query: a megabyte at most, and a millisecond or two. */
const BATCH_SIZE = 100;

/** The documents of a package or a record depend on all of its advisories, so these are buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** Records per query: each may have some megabytes. */
const SOURCES_BATCH_SIZE = 25;

/** Feeds up to this size are sorted in memory: a few megabytes of keys. */
const MAX_SORTED = 20_000;

/** Keys that are sorted between two points where other requests may run. */
const SORTED_PER_STEP = 512;

/** Reading and sorting one advisory costs about as much as skipping this many of other groups. */
const SORT_COST = 4;

/** The advisories of an OSV document, or the id of the document that publishes the advisory with the requested id. */
export type FoundDocument =
  | { readonly advisories: readonly Advisory[] }
  | { readonly movedTo: string };

/** An advisory of an OSV document. */
interface DocumentPart {
  readonly document: string;
  readonly uid: string;
}

/**
 * Reads the advisories of a group and its subtree in batches, including deleted ones. Other requests run between any two
 * of them: the embedded database reads synchronously, and generating a document takes as long as reading it.
 */
export class FeedReader {
  readonly #deps: ResourceStore;
  readonly #group: string;
  readonly #task: SlicedTask;
  readonly #maxBufferedBytes: number;

  constructor(
    deps: ResourceStore,
    group: string,
    task: SlicedTask,
    maxBufferedBytes: number = MAX_BUFFERED_BYTES,
  ) {
    this.#deps = deps;
    this.#group = group;
    this.#task = task;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  /**
   * All advisories ordered by id, with the records that they were imported from. Each id occurs once per OSV document.
   */
  async *byId(): AsyncGenerator<Advisory> {
    const walk = this.#walk({ kind: "id", below: this.#group });
    const runs = runsOf(walk, this.#maxBufferedBytes, ({ advisoryId }) => advisoryId);
    for await (const page of chunksOf(runs, SOURCES_BATCH_SIZE)) {
      await addPublishedSources(this.#deps.store.reader, page.flat());
      const parts = page.flatMap((same) => [...Map.groupBy(same, osvId).values()]);
      yield* this.#pausing(parts.flatMap(distinct));
    }
  }

  /**
   * The advisories of each OSV document, ordered by the ids of documents. The order takes some hundred bytes for each
   * advisory.
   */
  async *byDocument(): AsyncGenerator<readonly Advisory[]> {
    const parts: DocumentPart[] = [];
    for await (const advisory of this.byId()) {
      parts.push({ document: osvId(advisory), uid: advisory.uid });
    }
    const sorted = await this.#sort(parts, compareParts);
    for await (const advisories of runsOf(this.#read(sorted), this.#maxBufferedBytes, osvId)) {
      await this.#task.pause();
      yield advisories;
    }
  }

  /** The advisories with these uids that still belong to these documents, with their records. */
  async *#read(parts: readonly DocumentPart[]): AsyncGenerator<SizedAdvisory> {
    const {
      store: { reader },
      catalog: { advisories },
    } = this.#deps;
    const records: RecordCache = new Map();
    for (let at = 0; at < parts.length; at += SOURCES_BATCH_SIZE) {
      const batch = parts.slice(at, at + SOURCES_BATCH_SIZE);
      keepRecordsOf(batch[0]?.document, records);
      const uids = batch.map(({ uid }) => uid);
      const rows = new Map(
        (await advisories.table.findMany(reader, uids)).map((row) => [row.uid, row]),
      );
      const page = await this.#hydrated(uids.flatMap((uid) => rows.get(uid) ?? []));
      const documents = new Map(batch.map(({ uid, document }) => [uid, document]));
      for (const one of await this.#withSources(page, records)) {
        // Advisories that have changed meanwhile may belong to other documents.
        if (osvId(one.advisory) === documents.get(one.advisory.uid)) yield one;
      }
      await this.#task.pause();
    }
  }

  async #withSources(
    page: readonly SizedAdvisory[],
    records: RecordCache,
  ): Promise<SizedAdvisory[]> {
    const advisories = page.map(({ advisory }) => advisory);
    const sizes = await addPublishedSources(this.#deps.store.reader, advisories, records);
    return page.map(({ advisory, bytes }) => {
      return { advisory, bytes: bytes + (sizes.get(advisory.uid) ?? 0) };
    });
  }

  async #hydrated(rows: readonly EncodedRow[]): Promise<SizedAdvisory[]> {
    const {
      store: { reader },
      catalog,
    } = this.#deps;
    const page = rows.map((row) => catalog.advisories.fromRow(row));
    await catalog.advisories.definition.hydrate?.(reader, page, catalog);
    return page.map((advisory, at) => ({ advisory, bytes: rows[at]?.data?.length ?? 0 }));
  }

  /** Yields items in an order. */
  async *inOrder<T>(items: readonly T[], compare: (a: T, b: T) => number): AsyncGenerator<T> {
    yield* this.#pausing(await this.#sort(items, compare));
  }

  #sort<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
    return slicedSort(items, compare, this.#task, SORTED_PER_STEP);
  }

  async *#pausing<T>(all: Iterable<T>): AsyncGenerator<T> {
    for (const one of all) {
      await this.#task.pause();
      yield one;
    }
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

  /**
   * The OSV document with this id; undefined if there is none. The id of a record is an alias of all advisories that
   * were imported from it.
   */
  async document(id: string): Promise<FoundDocument | undefined> {
    const found = new Map<string, Advisory>();
    const records: RecordCache = new Map();
    let size = 0;
    // OSV prefixes ids of unregistered databases with x_.
    for (const name of new Set([id, id.replace(/^x_/, "")])) {
      for (const kind of ["id", "alias"]) {
        const walk = this.#walk({ kind, below: this.#group, value: indexable(name) });
        for await (const page of chunksOf(walk, SOURCES_BATCH_SIZE)) {
          for (const { advisory, bytes } of await this.#withSources(page, records)) {
            if (![osvId(advisory), ownOsvId(advisory)].includes(id)) continue;
            found.set(advisory.uid, advisory);
            size += bytes;
            checkSize(size, this.#maxBufferedBytes);
          }
          keepRecordsOf(id, records);
        }
      }
    }
    const advisories = distinct([...found.values()].filter((one) => osvId(one) === id));
    if (advisories.length > 0) return { advisories };
    const [moved] = distinct([...found.values()]);
    return moved && { movedTo: osvId(moved) };
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
    const isSmall = walk.value === undefined && (await this.#isSmall());
    for await (const rows of isSmall ? this.#sorted(walk) : this.#scanned(walk)) {
      yield* await this.#hydrated(rows);
      await this.#task.pause();
    }
  }

  /** Whether sorting the feed in memory is cheaper than scanning the index of all advisories. */
  async #isSmall(): Promise<boolean> {
    const {
      store,
      catalog: { advisories },
    } = this.#deps;
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
    } = this.#deps;
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
    } = this.#deps;
    const all: TermPosition[] = [];
    let after: string | undefined;
    do {
      const some = await positionsBelow(store.reader, advisories.table, walk, after, BATCH_SIZE);
      all.push(...some.positions);
      after = some.next;
      await this.#task.pause();
    } while (after !== undefined);
    const sorted = await this.#sort(all, comparePositions);
    for (let at = 0; at < sorted.length; at += BATCH_SIZE) {
      const ids = sorted.slice(at, at + BATCH_SIZE).map(({ row }) => row);
      yield await rowsBelow(store.reader, advisories.table, this.#group, ids);
    }
  }
}

function comparePositions(a: TermPosition, b: TermPosition): number {
  return a.value === b.value ? a.row - b.row : a.value < b.value ? -1 : 1;
}

/** The packages of a record share it across batches; other records are not buffered. */
function keepRecordsOf(document: string | undefined, records: RecordCache): void {
  for (const [digest, { id }] of records) {
    if (ownOsvId({ advisoryId: String(id) }) !== document) records.delete(digest);
  }
}

/** Parts of one document keep their order. */
function compareParts({ document: a }: DocumentPart, { document: b }: DocumentPart): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
