import { ancestorsOf } from "@wharf/contract";
import type { Reader, Writer } from "../db/connection.ts";

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

/**
 * What rows of a table, or of one of its parts, are counted as.
 *
 * @example countKind("tags", 4) // "tags/4"
 */
export function countKind(table: string, part: number | undefined): string {
  return part === undefined ? table : `${table}/${part}`;
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

/**
 * The counts of a place for each part of a table that anything was ever in.
 *
 * @example const plain = (await readPartitionCounts(reader, "tags", [0, 1], repo)).get(0)?.children ?? 0;
 */
export async function readPartitionCounts(
  reader: Reader,
  table: string,
  parts: readonly number[],
  uid: string,
): Promise<Map<number, Counts>> {
  const rows = await reader.all<Counts & { kind: string }>(
    `SELECT kind, children, descendants, changes FROM counts
     WHERE uid = ? AND kind IN (${parts.map(() => "?").join(", ")})`,
    uid,
    ...parts.map((part) => countKind(table, part)),
  );
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  return new Map(
    parts.flatMap((part) => {
      const counts = byKind.get(countKind(table, part));
      return counts === undefined ? [] : [[part, counts] as const];
    }),
  );
}

/** Places whose counts are read by one statement: about a millisecond. */
const PLACES_PER_READ = 500;

/**
 * The counts of many places, by place; those that nothing was ever below are left out. The statement
 * is the same for any number of places.
 *
 * @example for await (const counts of readManyCounts(reader, "groups", scopes)) …
 */
export async function* readManyCounts(
  reader: Reader,
  table: string,
  uids: readonly string[],
): AsyncIterable<ReadonlyMap<string, Counts>> {
  const sql = `SELECT uid, children, descendants, changes FROM counts
     WHERE kind = ? AND uid IN (${reader.dialect.texts})`;
  for (let at = 0; at < uids.length; at += PLACES_PER_READ) {
    const some = JSON.stringify(uids.slice(at, at + PLACES_PER_READ));
    const rows = await reader.all<Counts & { uid: string }>(sql, table, some);
    yield new Map(rows.map((row) => [row.uid, row]));
  }
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

  /** Notes that so many resources came to a place, or, below zero, went from it. */
  moved(table: string, parent: string, by: number): void {
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

  /** How many more there are anywhere below a place. */
  below(table: string, place: string): number {
    return this.#deltas.get(place)?.get(table)?.descendants ?? 0;
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
