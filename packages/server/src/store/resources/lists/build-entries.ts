import type { Writer } from "../../db/connection.ts";
import { Conditions } from "../conditions.ts";
import { readKeys, readPositions } from "../page.ts";
import type { Filter, Order, Position, Start } from "../query.ts";
import {
  BEGINNING,
  isListed,
  keyOf,
  type ListIndexRow,
  type ListKey,
  positionAt,
  rangeOf,
  setProgress,
} from "./list-index.ts";

/** Adds entries of further rows. Writes add those of rows that they change, wherever the build is. */
export async function addEntries(
  writer: Writer,
  key: ListKey,
  index: ListIndexRow,
  limit: number,
): Promise<boolean> {
  const { table, sort, filter } = key;
  const list = index.id;
  const positions = await (filter
    ? rowsWith(writer, key, filter, index, limit)
    : nextRows(writer, key, index, limit));
  const ids = positions.flatMap(({ id, isListed: listed = true }) => (listed ? [id] : []));
  const values = await readKeys(writer, table, ids, [sort]);
  const entries = [...values].map(([id, [value = ""]]) => [keyOf(value), id]);
  const { tuples, asInteger } = writer.dialect;
  await writer.run(
    `INSERT INTO list_entries (list, key, row_id)
     SELECT ${list}, key, ${asInteger("row_id")} FROM (${tuples("key", "row_id")}) given WHERE true
     ORDER BY 2, 3 ON CONFLICT DO NOTHING`,
    JSON.stringify(entries),
  );
  const last = positions.at(-1);
  const isComplete = last === undefined || positions.length < limit;
  await setProgress(writer, list, isComplete ? "complete" : "building", last);
  // From now on, writes keep the number.
  if (isComplete && filter !== undefined) {
    const count = "SELECT count(*) FROM list_entries WHERE list = ?";
    await writer.run(`UPDATE list_indexes SET row_count = (${count}) WHERE id = ?`, list, list);
  }
  return !isComplete;
}

type BuiltRow = Position & { readonly isListed?: boolean };

/** The next rows with a value, in the order of their ids, whether in the range or not. */
async function rowsWith(
  writer: Writer,
  { table, partition, scope, reach }: ListKey,
  filter: Filter,
  { cursor_id }: ListIndexRow,
  limit: number,
): Promise<BuiltRow[]> {
  const { name, partitions } = table.shape;
  const part = partitions === undefined ? "0 AS part" : "part";
  const { text, params } = table.having(filter, partition);
  const rows = await writer.all<{ id: number; uid: string; parent: string; part: number }>(
    `SELECT id, uid, parent, ${part} FROM ${name} WHERE ${text} AND id > ? ORDER BY id LIMIT ?`,
    ...[...params, cursor_id, limit],
  );
  return rows.map((row) => {
    const isInPartition = partition === undefined || row.part === partition;
    return { key: "", id: row.id, isListed: isInPartition && isListed({ scope, reach }, row) };
  });
}

/** The next rows of the range. */
function nextRows(
  writer: Writer,
  key: ListKey,
  { cursor_key, cursor_id }: ListIndexRow,
  limit: number,
): Promise<BuiltRow[]> {
  const column = walkedColumn(writer, key);
  const start: Start | undefined =
    cursor_id === BEGINNING.id
      ? undefined
      : { ...positionAt(column, cursor_key, cursor_id), inclusive: false };
  const order = { column, descending: false };
  const query = { range: rangeOf(key), filters: [], order, start, offset: 0, limit };
  return readPositions(writer, key.table, query);
}

/** An order in which the rows of a range can be read in batches. */
function walkedColumn(writer: Writer, { table, reach }: ListKey): Order["column"] {
  if (reach !== "children") return "uid";
  const conditions = new Conditions(writer.dialect, table.shape);
  return conditions.hasChildrenInOrderOf("name") ? "name" : "updated";
}
