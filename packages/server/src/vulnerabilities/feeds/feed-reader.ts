import { setImmediate } from "node:timers/promises";
import { osvId, type PackageKey } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { tooLong } from "../../lib/errors.ts";
import { indexable } from "../../store/resources/indexable.ts";
import type { Range } from "../../store/resources/page.ts";
import { countsOf } from "../../store/resources/range-counts.ts";
import type { EncodedRow } from "../../store/resources/resource-table.ts";
import {
  positionsBelow,
  rowsBelow,
  stepByTerm,
  type TermPosition,
  type TermWalk,
} from "../../store/resources/term-walk.ts";

/** Advisories read at a time: a few megabytes at most, and some milliseconds. */
const STEP = 500;

/** What is told of a package depends on all of its advisories, so they are held together. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

/** Feeds of up to so many are gathered before they are read: a few megabytes of names and numbers. */
const MOST_GATHERED = 20_000;

/** To read and sort one costs about as much as to pass so many of others. */
const PASSED_FOR_ONE = 4;

/** Reads the advisories of a group and of all below it, deleted ones among them, step by step. */
export class FeedReader {
  readonly #engine: Engine;
  readonly #group: string;
  readonly #mostHeld: number;

  constructor(engine: Engine, group: string, mostHeld: number = MOST_HELD_BYTES) {
    this.#engine = engine;
    this.#group = group;
    this.#mostHeld = mostHeld;
  }

  /** All of them in the order of their ids, each id once. */
  async *byId(): AsyncGenerator<Advisory> {
    const walk = this.#walk({ kind: "id", below: this.#group });
    for await (const same of runsOf(walk, this.#mostHeld, ({ advisoryId }) => advisoryId))
      yield* distinct(same);
  }

  /** All of them by package, in the order of the packages' names. */
  async *byPackage(): AsyncGenerator<readonly [Advisory, ...Advisory[]]> {
    const walk = this.#walk({ kind: "artifact", below: this.#group });
    for await (const named of runsOf(walk, this.#mostHeld, ({ artifactName }) => artifactName)) {
      yield* packagesAmong(named);
    }
  }

  /** The one whose document goes by this id. */
  async document(id: string): Promise<Advisory | undefined> {
    // Ids that OSV does not know the home of have x_ before them there.
    for (const value of new Set([id, id.replace(/^x_/, "")])) {
      const found = await this.#all({ kind: "id", below: this.#group, value: indexable(value) });
      const [one] = distinct(found).filter((advisory) => osvId(advisory) === id);
      if (one !== undefined) return one;
    }
    return undefined;
  }

  /** Those of one package. */
  async ofPackage({ type, name }: PackageKey): Promise<Advisory[]> {
    const value = indexable(name);
    const named = await this.#all({ kind: "artifact", below: this.#group, value });
    return distinct(named.filter(({ artifactType }) => artifactType === type));
  }

  async #all(walk: TermWalk): Promise<Advisory[]> {
    for await (const all of runsOf(this.#walk(walk), this.#mostHeld, () => "")) return [...all];
    return [];
  }

  async *#walk(walk: TermWalk): AsyncGenerator<Weighed> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const isSmall = walk.value === undefined && (await this.#isSmall());
    for await (const rows of isSmall ? this.#gathered(walk) : this.#steps(walk)) {
      const page = rows.map((row) => advisories.fromRow(row));
      await advisories.definition.hydrate?.(store.reader, page, this.#engine.catalog);
      for (const [at, advisory] of page.entries()) {
        yield { advisory, bytes: rows[at]?.data?.length ?? 0 };
      }
      // The embedded database reads without waiting: let others have their turn.
      await setImmediate();
    }
  }

  /** Whether there are so few that it pays to gather and sort them, and not to pass those of others. */
  async #isSmall(): Promise<boolean> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const count = async (range: Range) =>
      (await countsOf(store.reader, advisories.table, range)).descendants;
    const own = await count({ below: this.#group, self: false });
    return own <= MOST_GATHERED && own * PASSED_FOR_ONE < (await count({ everything: true }));
  }

  /** Through the order that all advisories have, passing those of others. */
  async *#steps(walk: TermWalk): AsyncGenerator<readonly EncodedRow[]> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    let at: TermPosition | undefined;
    do {
      const { rows, next } = await stepByTerm(store.reader, advisories.table, walk, at, STEP);
      yield rows;
      at = next;
    } while (at !== undefined);
  }

  /** The same rows in the same order, found among those of the group alone. */
  async *#gathered(walk: TermWalk): AsyncGenerator<readonly EncodedRow[]> {
    const {
      store,
      catalog: { advisories },
    } = this.#engine;
    const all: TermPosition[] = [];
    let after: string | undefined;
    do {
      const some = await positionsBelow(store.reader, advisories.table, walk, after, STEP);
      all.push(...some.positions);
      after = some.next;
      if (after !== undefined) await setImmediate();
    } while (after !== undefined);
    all.sort((a, b) => (a.value === b.value ? a.row - b.row : a.value < b.value ? -1 : 1));
    for (let at = 0; at < all.length; at += STEP) {
      const ids = all.slice(at, at + STEP).map(({ row }) => row);
      yield await rowsBelow(store.reader, advisories.table, this.#group, ids);
    }
  }
}

/** An advisory, and how much of the store it takes. */
interface Weighed {
  readonly advisory: Advisory;
  readonly bytes: number;
}

/** All that follow one another and have the same key. Refuses when they are too much to hold. */
async function* runsOf(
  walk: AsyncIterable<Weighed>,
  mostHeld: number,
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
    if (size > mostHeld) throw tooLong("what is known of one package", mostHeld);
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
 * Each id once, in the order of ids. Folders can have advisories of the same id: the one that is there
 * counts before one that was deleted, and the one nearest to the top before others.
 */
function distinct(advisories: readonly Advisory[]): Advisory[] {
  const chosen = new Map<string, Advisory>();
  for (const one of advisories) {
    const other = chosen.get(one.advisoryId);
    if (other === undefined || comesBefore(one, other)) chosen.set(one.advisoryId, one);
  }
  return [...chosen.values()].sort((a, b) => (a.advisoryId < b.advisoryId ? -1 : 1));
}

function comesBefore(a: Advisory, b: Advisory): boolean {
  const [goneA, goneB] = [a.deleteTime !== undefined, b.deleteTime !== undefined];
  if (goneA !== goneB) return goneB;
  return a.uid.length === b.uid.length ? a.uid < b.uid : a.uid.length < b.uid.length;
}
