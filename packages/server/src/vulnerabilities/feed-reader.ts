import { setImmediate } from "node:timers/promises";
import { osvId, type PackageKey } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { indexable } from "../store/indexable.ts";
import { stepByTerm, type TermPosition, type TermWalk } from "../store/term-walk.ts";

/** Advisories read at a time: a few megabytes at most, and some milliseconds. */
const STEP = 500;

/** Reads the advisories of a group and of all below it, deleted ones among them, step by step. */
export class FeedReader {
  readonly #engine: Engine;
  readonly #group: string;

  constructor(engine: Engine, group: string) {
    this.#engine = engine;
    this.#group = group;
  }

  /** All of them in the order of their ids, each id once. */
  async *byId(): AsyncGenerator<Advisory> {
    let same: Advisory[] = [];
    for await (const advisory of this.#walk({ kind: "id", below: this.#group })) {
      if (same.length > 0 && same[0]?.advisoryId !== advisory.advisoryId) {
        yield* distinct(same);
        same = [];
      }
      same.push(advisory);
    }
    yield* distinct(same);
  }

  /** All of them by package, in the order of the packages' names. */
  async *byPackage(): AsyncGenerator<readonly [Advisory, ...Advisory[]]> {
    let named: Advisory[] = [];
    for await (const advisory of this.#walk({ kind: "artifact", below: this.#group })) {
      if (named.length > 0 && named[0]?.artifactName !== advisory.artifactName) {
        yield* packagesAmong(named);
        named = [];
      }
      named.push(advisory);
    }
    yield* packagesAmong(named);
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
    const found: Advisory[] = [];
    for await (const one of this.#walk(walk)) found.push(one);
    return found;
  }

  async *#walk(walk: TermWalk): AsyncGenerator<Advisory> {
    const { advisories, store } = this.#engine;
    let at: TermPosition | undefined;
    do {
      const { rows, next } = await stepByTerm(store.reader, advisories.table, walk, at, STEP);
      const page = rows.map((row) => advisories.fromRow(row));
      await advisories.definition.hydrate?.(store.reader, page, this.#engine);
      yield* page;
      at = next;
      // The embedded database reads without waiting: let others have their turn.
      await setImmediate();
    } while (at !== undefined);
  }
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
