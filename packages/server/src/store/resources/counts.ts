import { ancestorsOf } from "@wharf/contract";
import type { Changes, Participant } from "../db/commit/participant.ts";
import type { Transaction } from "../db/commit/transaction.ts";
import type { Dialect, Reader, Writer } from "../db/connection.ts";

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

type CountRow = readonly [
  uid: string,
  kind: string,
  children: number,
  descendants: number,
  changes: number,
];

interface Delta {
  children: number;
  descendants: number;
  changes: number;
}

/** The changes of counts in a transaction, written once, at its end. */
export class CountChanges implements Changes {
  /** By node, then by kind. */
  readonly #deltas = new Map<string, Map<string, Delta>>();
  readonly #deleted = new Set<string>();

  /** Adds resources to a parent, or, with a negative number, removes them. */
  moved(kind: string, parent: string, by: number): void {
    for (const node of withAncestors(parent)) {
      const delta = this.#at(node, kind);
      if (node === parent) delta.children += by;
      delta.descendants += by;
      delta.changes += 1;
    }
  }

  /** Records a change of a resource: at itself if it can have children, otherwise at its parent. */
  touched(kind: string, at: string): void {
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
  }

  /** The change in the number of descendants of a node. */
  below(kind: string, node: string): number {
    return this.#deltas.get(node)?.get(kind)?.descendants ?? 0;
  }

  /**
   * Writes the sums, always in the order of their keys, so that replicas do not deadlock, and with one
   * statement: every write counts at the root, so the other replicas wait for it.
   */
  async store(writer: Writer): Promise<void> {
    const rows = [...this.#deltas].flatMap(([node, kinds]) => {
      if (this.#deleted.has(node)) return [];
      return [...kinds].map(([kind, { children, descendants, changes }]) => {
        return [node, kind, children, descendants, changes] satisfies CountRow;
      });
    });
    if (rows.length > 0) await writer.run(upsertOf(writer.dialect), JSON.stringify(rows));
    if (this.#deleted.size === 0) return;
    const sql = `DELETE FROM counts WHERE uid IN (${writer.dialect.texts})`;
    await writer.run(sql, JSON.stringify([...this.#deleted]));
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

export const COUNTS: Participant<CountChanges> = {
  kind: CountChanges,
  stage: "sums",
  begin: () => ({ write: (writer, changes) => changes.store(writer) }),
};

/** The number of descendants of a node in a table, including those of this transaction. */
export async function countBelow(tx: Transaction, table: string, node: string): Promise<number> {
  const { descendants } = await readCounts(tx, table, node);
  const unwritten = [tx.earlierChanges(CountChanges), tx.changes(CountChanges)];
  return unwritten.reduce((sum, counts) => sum + counts.below(table, node), descendants);
}

function upsertOf({ tuples, asInteger }: Dialect): string {
  return `INSERT INTO counts (uid, kind, children, descendants, changes)
    SELECT uid, kind, ${["children", "descendants", "changes"].map(asInteger).join(", ")}
    FROM (${tuples("uid", "kind", "children", "descendants", "changes")}) given WHERE true ORDER BY 1, 2
    ON CONFLICT (uid, kind) DO UPDATE SET
      children = counts.children + excluded.children,
      descendants = counts.descendants + excluded.descendants,
      changes = counts.changes + excluded.changes`;
}

/** A node and its ancestors, up to the node above all roots. */
function withAncestors(node: string): string[] {
  return node === "" ? [""] : [node, ...ancestorsOf(node), ""];
}
