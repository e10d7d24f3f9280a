import { ancestorsOf } from "@wharf/contract";
import type { Reader, Writer } from "./connection.ts";

/**
 * How many resources of each kind are directly and anywhere below each place, kept up to date with
 * every write, so that an exact total costs one look-up however many there are. The place "" is
 * above everything. `changes` moves with every write below the place: what was learnt about an
 * order of rows holds as long as it stands still.
 */
export interface Counts {
  readonly children: number;
  readonly descendants: number;
  readonly changes: number;
}

const NONE: Counts = { children: 0, descendants: 0, changes: 0 };

/**
 * @example const { descendants } = await readCounts(reader, "groups", organisation);
 */
export async function readCounts(reader: Reader, table: string, uid: string): Promise<Counts> {
  const row = await reader.get<Counts>(
    "SELECT children, descendants, changes FROM counts WHERE uid = ? AND kind = ?",
    uid,
    table,
  );
  return row ?? NONE;
}

interface Delta {
  children: number;
  descendants: number;
  changes: number;
}

/** What a transaction adds to the counts; written once, at its end. */
export class CountChanges {
  /** By place, then by table. */
  readonly #deltas = new Map<string, Map<string, Delta>>();
  readonly #gone = new Set<string>();

  /** Notes that a resource came to a place (+1) or went from it (-1). */
  moved(table: string, parent: string, by: 1 | -1): void {
    for (const place of upwards(parent)) {
      const delta = this.#at(place, table);
      if (place === parent) delta.children += by;
      delta.descendants += by;
      delta.changes += 1;
    }
  }

  /** Notes that a resource changed at a place, which is itself if others are below it. */
  touched(table: string, at: string): void {
    for (const place of upwards(at)) this.#at(place, table).changes += 1;
  }

  /** Notes that nothing will ever be below this place again. */
  closed(uid: string): void {
    this.#gone.add(uid);
  }

  add(other: CountChanges): void {
    for (const [place, tables] of other.#deltas) {
      for (const [table, more] of tables) {
        const delta = this.#at(place, table);
        delta.children += more.children;
        delta.descendants += more.descendants;
        delta.changes += more.changes;
      }
    }
    for (const uid of other.#gone) this.#gone.add(uid);
  }

  /** Writes the sums. Always in the same order, so that replicas do not wait for each other in a circle. */
  async store(writer: Writer): Promise<void> {
    for (const place of [...this.#deltas.keys()].sort()) {
      if (this.#gone.has(place)) continue;
      const tables = this.#deltas.get(place) as Map<string, Delta>;
      for (const table of [...tables.keys()].sort()) {
        const { children, descendants, changes } = tables.get(table) as Delta;
        await writer.run(
          `INSERT INTO counts (uid, kind, children, descendants, changes) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (uid, kind) DO UPDATE SET
             children = counts.children + excluded.children,
             descendants = counts.descendants + excluded.descendants,
             changes = counts.changes + excluded.changes`,
          place,
          table,
          children,
          descendants,
          changes,
        );
      }
    }
    for (const uid of [...this.#gone].sort()) {
      await writer.run("DELETE FROM counts WHERE uid = ?", uid);
    }
  }

  #at(place: string, table: string): Delta {
    let tables = this.#deltas.get(place);
    if (tables === undefined) {
      tables = new Map();
      this.#deltas.set(place, tables);
    }
    let delta = tables.get(table);
    if (delta === undefined) {
      delta = { children: 0, descendants: 0, changes: 0 };
      tables.set(table, delta);
    }
    return delta;
  }
}

/** A place and all above it, the one above everything last. */
function upwards(place: string): string[] {
  return place === "" ? [""] : [place, ...ancestorsOf(place), ""];
}
