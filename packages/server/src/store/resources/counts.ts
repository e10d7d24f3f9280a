import { ancestorsOf } from "@wharf/contract";
import type { BatchWriter } from "../db/commit/batch-writer.ts";
import type { Dialect, Reader } from "../db/connection.ts";
import { type KindVersion, RowLog, trimRowLog } from "./row-log.ts";

/**
 * The numbers of children and of descendants of each kind below a node of the tree. Every write keeps them
 * up to date, so an exact total costs one look-up. The node "" is above all roots. `changes` grows
 * with every write below the node: what was derived from the rows is valid while it stays the same.
 */
export interface Counts {
  readonly children: number;
  readonly descendants: number;
  readonly changes: number;
}

/** The kind under which the rows of a table, or of one of its partitions, are counted: `tags/4`. */
export function countKind(table: string, partition: number | undefined): string {
  return partition === undefined ? table : `${table}/${partition}`;
}

const NONE: Counts = { children: 0, descendants: 0, changes: 0 };

export async function readCounts(reader: Reader, table: string, uid: string): Promise<Counts> {
  const row = await reader.get<Counts>(
    "SELECT children, descendants, changes FROM counts WHERE uid = ? AND kind = ?",
    uid,
    table,
  );
  return row ?? NONE;
}

/** The counts of a node by partition, without partitions that never had a row there. */
export async function readPartitionCounts(
  reader: Reader,
  table: string,
  partitions: readonly number[],
  uid: string,
): Promise<Map<number, Counts>> {
  const rows = await reader.all<Counts & { kind: string }>(
    `SELECT kind, children, descendants, changes FROM counts
     WHERE uid = ? AND kind IN (${partitions.map(() => "?").join(", ")})`,
    uid,
    ...partitions.map((partition) => countKind(table, partition)),
  );
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  return new Map(
    partitions.flatMap((partition) => {
      const counts = byKind.get(countKind(table, partition));
      return counts === undefined ? [] : [[partition, counts] as const];
    }),
  );
}

/** Nodes whose counts are read by one statement: about a millisecond. */
const READ_BATCH_SIZE = 500;

/** The counts of many nodes by uid, in batches, without nodes that never had a row below them. */
export async function* readManyCounts(
  reader: Reader,
  table: string,
  uids: readonly string[],
): AsyncIterable<ReadonlyMap<string, Counts>> {
  const sql = `SELECT uid, children, descendants, changes FROM counts
     WHERE kind = ? AND uid IN (${reader.dialect.texts})`;
  for (let at = 0; at < uids.length; at += READ_BATCH_SIZE) {
    const some = JSON.stringify(uids.slice(at, at + READ_BATCH_SIZE));
    const rows = await reader.all<Counts & { uid: string }>(sql, table, some);
    yield new Map(rows.map((row) => [row.uid, row]));
  }
}

type CountRow = readonly [
  uid: string,
  kind: string,
  children: number,
  descendants: number,
  changes: number,
];

type SumRow = readonly [uid: string, kind: string, changes: number, lists: number];

/** A node with indexes of lists of a kind, and how many changes a transaction made below it. */
export interface ListedNode {
  readonly uid: string;
  readonly kind: string;
  readonly changes: number;
}

interface Delta {
  children: number;
  descendants: number;
  changes: number;
}

/** The changes of counts in a transaction, written once, at its end. */
export class CountChanges {
  /** By node, then by kind. */
  readonly #deltas = new Map<string, Map<string, Delta>>();
  readonly #deleted = new Set<string>();
  readonly #rows = new RowLog();

  /** Adds a resource, or undefined for many, to a parent, or, with a negative number, removes it. */
  moved(kind: string, parent: string, by: number, uid: string | undefined): void {
    this.#rows.record(kind, uid);
    for (const node of withAncestors(parent)) {
      const delta = this.#at(node, kind);
      if (node === parent) delta.children += by;
      delta.descendants += by;
      delta.changes += 1;
    }
  }

  /** Records a change of a resource: at itself if it can have children, otherwise at its parent. */
  touched(kind: string, at: string, uid: string): void {
    this.#rows.record(kind, uid);
    for (const node of withAncestors(at)) this.#at(node, kind).changes += 1;
  }

  /** Records that a node was deleted: nothing will ever be below it again. */
  closed(uid: string): void {
    this.#deleted.add(uid);
  }

  add(other: CountChanges): void {
    for (const [node, kinds] of other.#deltas) {
      for (const [kind, more] of kinds) {
        const delta = this.#at(node, kind);
        delta.children += more.children;
        delta.descendants += more.descendants;
        delta.changes += more.changes;
      }
    }
    for (const uid of other.#deleted) this.#deleted.add(uid);
    this.#rows.add(other.#rows);
  }

  /** The change in the number of descendants of a node. */
  below(kind: string, node: string): number {
    return this.#deltas.get(node)?.get(kind)?.descendants ?? 0;
  }

  /**
   * Writes the sums, always in the order of their keys, so that replicas do not deadlock, and with one
   * statement: every write counts at the root, so the other replicas wait for it. Logs the changed rows, with the same
   * statement where that saves a round trip. Returns the nodes with indexes of lists.
   */
  async store(writer: BatchWriter): Promise<ListedNode[]> {
    if (this.#deltas.size === 0 && this.#deleted.size === 0) return [];
    const rows = [...this.#deltas].flatMap(([node, kinds]) => {
      if (this.#deleted.has(node)) return [];
      return [...kinds].map(([kind, { children, descendants, changes }]) => {
        return [node, kind, children, descendants, changes] satisfies CountRow;
      });
    });
    const stored = rows.length === 0 ? [] : await this.#storeAndLog(writer, rows);
    await trimRowLog(writer, this.#versions(stored));
    if (this.#deleted.size > 0) {
      const given = JSON.stringify([...this.#deleted]);
      const { texts } = writer.dialect;
      await writer.run(`DELETE FROM counts WHERE uid IN (${texts})`, given);
      await writer.run(`UPDATE list_indexes SET state = 'void' WHERE scope IN (${texts})`, given);
    }
    return stored.flatMap(([uid, kind, , lists]) => {
      return lists === 0 ? [] : [{ uid, kind, changes: this.#at(uid, kind).changes }];
    });
  }

  async #storeAndLog(writer: BatchWriter, rows: readonly CountRow[]): Promise<SumRow[]> {
    const { dialect } = writer;
    if (writer.pipelines) {
      const logged = rows.map((row) => (row[0] === "" ? [...row, this.#rows.uidsOf(row[1])] : row));
      return writer.arrays<SumRow>(upsertAndLogOf(dialect), JSON.stringify(logged));
    }
    const stored = await writer.arrays<SumRow>(upsertOf(dialect), JSON.stringify(rows));
    await this.#rows.store(writer, this.#versions(stored));
    return stored;
  }

  /** The new versions of the changed kinds. */
  #versions(sums: readonly SumRow[]): KindVersion[] {
    return sums.flatMap(([node, kind, version]) => {
      if (node !== "") return [];
      const { changes } = this.#at("", kind);
      return [{ kind, version, since: version - changes }];
    });
  }

  #at(node: string, kind: string): Delta {
    let kinds = this.#deltas.get(node);
    if (kinds === undefined) {
      kinds = new Map();
      this.#deltas.set(node, kinds);
    }
    let delta = kinds.get(kind);
    if (delta === undefined) {
      delta = { children: 0, descendants: 0, changes: 0 };
      kinds.set(kind, delta);
    }
    return delta;
  }
}

function upsertOf({ tuples, asInteger }: Dialect, given?: string): string {
  const rows = given ?? `(${tuples("uid", "kind", "children", "descendants", "changes")}) given`;
  return `INSERT INTO counts (uid, kind, children, descendants, changes)
    SELECT uid, kind, ${["children", "descendants", "changes"].map(asInteger).join(", ")}
    FROM ${rows} WHERE true ORDER BY 1, 2
    ON CONFLICT (uid, kind) DO UPDATE SET
      children = counts.children + excluded.children,
      descendants = counts.descendants + excluded.descendants,
      changes = counts.changes + excluded.changes
    RETURNING uid, kind, changes, lists`;
}

/** The same, with the log of changed rows. */
function upsertAndLogOf(dialect: Dialect): string {
  const { tuples, asInteger } = dialect;
  return `WITH given AS (
      ${tuples("uid", "kind", "children", "descendants", "changes", "uids")}),
    stored AS (${upsertOf(dialect, "given")}),
    logged AS (
      INSERT INTO row_log (kind, version, since, uids)
      SELECT kind, stored.changes, stored.changes - ${asInteger("given.changes")}, uids
      FROM stored JOIN given USING (uid, kind) WHERE uid = '')
    SELECT uid, kind, changes, lists FROM stored`;
}

/** A node and its ancestors, up to the node above all roots. */
function withAncestors(node: string): string[] {
  return node === "" ? [""] : [node, ...ancestorsOf(node), ""];
}
