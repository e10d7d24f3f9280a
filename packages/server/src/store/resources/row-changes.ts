import type { Writer } from "../db/connection.ts";
import type { ListedNode } from "./counts.ts";
import {
  compareKeys,
  isListed,
  keyOf,
  LIST_COLUMNS,
  type ListIndexRow,
  readFilter,
  type SortValues,
} from "./lists/list-index.ts";

/** A stored row as the indexes of lists know it, with the columns that lists are filtered by. */
export interface IndexedRow extends SortValues {
  readonly id: number;
  /** The kind under which it is counted. */
  readonly kind: string;
}

interface RowChange {
  readonly table: string;
  /** The columns of the table that its lists are ordered and filtered by. */
  readonly columns: string;
  readonly uid: string;
  readonly parent: string;
  /** The row before the transaction. */
  readonly before: IndexedRow | undefined;
  /** The kind of the row after the change; undefined if it was deleted. */
  readonly kind: string | undefined;
}

type RowKey = Pick<RowChange, "table" | "columns" | "uid" | "parent">;

/** The key of a row in a list that it joins (1) or leaves (-1). */
interface Move {
  readonly list: ListIndexRow;
  readonly key: string;
  readonly id: number;
  readonly by: 1 | -1;
}

/** The rows that a transaction changes; at its end, the indexes of the lists that have them follow. */
export class RowChanges {
  readonly #changes = new Map<string, RowChange>();

  inserted(row: RowKey, kind: string): void {
    this.#record({ ...row, before: undefined, kind });
  }

  updated(row: RowKey, before: IndexedRow | undefined, kind: string): void {
    this.#record({ ...row, before, kind });
  }

  deleted(row: RowKey, before: IndexedRow | undefined): void {
    this.#record({ ...row, before, kind: undefined });
  }

  add(other: RowChanges): void {
    for (const change of other.#changes.values()) this.#record(change);
  }

  /** Of several changes of one row, what it was before the first and is after the last counts. */
  #record(change: RowChange): void {
    const key = `${change.table} ${change.uid}`;
    const earlier = this.#changes.get(key);
    this.#changes.set(key, earlier ? { ...change, before: earlier.before } : change);
  }

  /** Updates the indexes of lists at these nodes, whose counts this transaction has locked. */
  async store(writer: Writer, nodes: readonly ListedNode[]): Promise<void> {
    if (nodes.length === 0) return;
    const lists = await listsAt(writer, nodes);
    if (lists.length === 0) return;
    const moves = await this.#moves(writer, lists);
    await advance(writer, lists, nodes, moves);
    await moveEntries(
      writer,
      moves.filter(({ list }) => list.form === "entries"),
    );
    await moveInBlocks(
      writer,
      moves.filter(({ list, key, id }) => list.form === "blocks" && isCounted(list, key, id)),
    );
  }

  async #moves(writer: Writer, lists: readonly ListIndexRow[]): Promise<Move[]> {
    const listed = this.#changes
      .values()
      .map((change) => ({ change, lists: lists.filter((list) => isListed(list, change)) }))
      .filter((one) => one.lists.length > 0)
      .toArray();
    const current = await currentRows(
      writer,
      listed.map(({ change }) => change),
    );
    return listed.flatMap(({ change, lists }) => {
      const after = current.get(`${change.table} ${change.uid}`);
      return lists.flatMap((list): Move[] => [
        ...movesOf(list, change.before, -1),
        ...movesOf(list, after, 1),
      ]);
    });
  }
}

function movesOf(list: ListIndexRow, row: IndexedRow | undefined, by: 1 | -1): Move[] {
  if (row?.kind !== list.kind) return [];
  const filter = readFilter(list.filter_by);
  const values = row as unknown as Readonly<Record<string, unknown>>;
  if (filter !== undefined && values[filter.column] !== filter.value) return [];
  return [{ list, key: keyOf(row[list.sort]), id: row.id, by }];
}

/** While blocks are being built, rows behind the cursor are not counted yet. */
function isCounted({ state, cursor_key, cursor_id }: ListIndexRow, key: string, id: number) {
  if (state === "complete") return true;
  const order = compareKeys(key, cursor_key);
  return order < 0 || (order === 0 && id < cursor_id);
}

function listsAt(writer: Writer, nodes: readonly ListedNode[]): Promise<ListIndexRow[]> {
  const given = writer.dialect.tuples("kind", "scope");
  return writer.all<ListIndexRow>(
    `SELECT ${LIST_COLUMNS} FROM list_indexes
     WHERE state <> 'void' AND (kind, scope) IN (SELECT kind, scope FROM (${given}) given)`,
    JSON.stringify(nodes.map(({ kind, uid }) => [kind, uid])),
  );
}

/** Counts the changes of this transaction as known to the indexes, and the rows that it adds to lists. */
async function advance(
  writer: Writer,
  lists: readonly ListIndexRow[],
  nodes: readonly ListedNode[],
  moves: readonly Move[],
): Promise<void> {
  const changes = new Map(nodes.map((node) => [`${node.kind} ${node.uid}`, node.changes]));
  const rows = new Map<number, number>();
  for (const { list, by } of moves) rows.set(list.id, (rows.get(list.id) ?? 0) + by);
  const { tuples, asInteger } = writer.dialect;
  await writer.run(
    `UPDATE list_indexes SET changes = list_indexes.changes + ${asInteger("given.more")},
       row_count = list_indexes.row_count + ${asInteger("given.more_rows")}
     FROM (${tuples("list", "more", "more_rows")}) given
     WHERE list_indexes.id = ${asInteger("given.list")}`,
    JSON.stringify(
      lists.map(({ id, kind, scope }) => {
        return [id, changes.get(`${kind} ${scope}`) ?? 0, rows.get(id) ?? 0];
      }),
    ),
  );
}

/** The rows as they are now, by table and uid. */
async function currentRows(
  writer: Writer,
  changes: readonly RowChange[],
): Promise<Map<string, IndexedRow>> {
  const rows = new Map<string, IndexedRow>();
  const kept = changes.filter(({ kind }) => kind !== undefined);
  for (const [table, some] of Map.groupBy(kept, (change) => change.table)) {
    const kinds = new Map(some.map(({ uid, kind }) => [uid, kind as string]));
    const found = await writer.all<Omit<IndexedRow, "kind">>(
      `SELECT ${some[0]?.columns} FROM ${table} WHERE uid IN (${writer.dialect.texts})`,
      JSON.stringify([...kinds.keys()]),
    );
    for (const row of found) {
      rows.set(`${table} ${row.uid}`, { ...row, kind: kinds.get(row.uid) as string });
    }
  }
  return rows;
}

async function moveEntries(writer: Writer, moves: readonly Move[]): Promise<void> {
  const { tuples, asInteger } = writer.dialect;
  const given = `SELECT ${asInteger("list")}, key, ${asInteger("row_id")}
    FROM (${tuples("list", "key", "row_id")}) given`;
  const keysOf = (by: 1 | -1) =>
    JSON.stringify(
      moves.filter((one) => one.by === by).map(({ list, key, id }) => [list.id, key, id]),
    );
  if (moves.some(({ by }) => by === -1)) {
    const sql = `DELETE FROM list_entries WHERE (list, key, row_id) IN (${given})`;
    await writer.run(sql, keysOf(-1));
  }
  if (moves.some(({ by }) => by === 1)) {
    const sql = `INSERT INTO list_entries (list, key, row_id) ${given} WHERE true ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING`;
    await writer.run(sql, keysOf(1));
  }
}

/** Counts rows in the blocks that begin at or before them. */
async function moveInBlocks(writer: Writer, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const { tuples, asInteger } = writer.dialect;
  await writer.run(
    `UPDATE list_blocks SET row_count = list_blocks.row_count + moved.more
     FROM (
       SELECT block, sum(more) AS more FROM (
         SELECT ${asInteger("given.more")} AS more,
           (SELECT b.id FROM list_blocks b
            WHERE b.list = ${asInteger("given.list")}
              AND (b.key, b.row_id) <= (given.key, ${asInteger("given.row_id")})
            ORDER BY b.key DESC, b.row_id DESC LIMIT 1) AS block
         FROM (${tuples("list", "key", "row_id", "more")}) given) found
       GROUP BY block) moved
     WHERE list_blocks.id = moved.block`,
    JSON.stringify(moves.map(({ list, key, id, by }) => [list.id, key, id, by])),
  );
}
