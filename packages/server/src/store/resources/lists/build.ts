import type { Writer } from "../../db/connection.ts";
import { type Counts, countKind } from "../counts.ts";
import { buildBlocks, insertBlock } from "./build-blocks.ts";
import { addEntries } from "./build-entries.ts";
import {
  BEGINNING,
  type BuildLimits,
  filterText,
  LIST_COLUMNS,
  type ListIndexRow,
  type ListKey,
} from "./list-index.ts";

/** How precisely the time of the last use is known. */
const MARK_USED_MS = 3_600_000;

/**
 * One step of building the index of a list; returns whether there is more to do. It runs at the end of a
 * transaction and locks the counts of the scope, as every write below the scope does: so each such write
 * is either visible here, or finds this index and maintains it.
 */
export async function buildList(
  writer: Writer,
  key: ListKey,
  limits: BuildLimits,
  now: number,
): Promise<boolean> {
  const counts = await lockCounts(
    writer,
    key.scope,
    countKind(key.table.shape.name, key.partition),
  );
  if (counts === undefined) return false;
  const index = (await find(writer, key)) ?? (await insert(writer, key, counts, now));
  if (index.state === "void" || index.changes !== counts.changes) {
    return dropList(writer, index, limits.batchRows);
  }
  if (index.used < now - MARK_USED_MS) {
    await writer.run("UPDATE list_indexes SET used = ? WHERE id = ?", now, index.id);
  }
  if (key.form === "blocks") return buildBlocks(writer, key, index, counts, limits);
  return index.state === "building" && addEntries(writer, key, index, limits.batchRows);
}

function lockCounts(writer: Writer, scope: string, kind: string): Promise<Counts | undefined> {
  return writer.get<Counts>(
    `SELECT children, descendants, changes FROM counts WHERE uid = ? AND kind = ? ${writer.dialect.lock}`,
    scope,
    kind,
  );
}

function find(
  writer: Writer,
  { table, partition, scope, reach, sort, form, filter }: ListKey,
): Promise<ListIndexRow | undefined> {
  const kind = countKind(table.shape.name, partition);
  return writer.get<ListIndexRow>(
    `SELECT ${LIST_COLUMNS} FROM list_indexes
     WHERE kind = ? AND scope = ? AND reach = ? AND sort = ? AND form = ? AND filter_by = ?`,
    ...[kind, scope, reach, sort, form, filterText(filter)],
  );
}

async function insert(
  writer: Writer,
  key: ListKey,
  { changes }: Counts,
  now: number,
): Promise<ListIndexRow> {
  const { table, partition, scope, reach, sort, form, filter } = key;
  const kind = countKind(table.shape.name, partition);
  const { key: first, id } = BEGINNING;
  await writer.run(
    `INSERT INTO list_indexes (kind, scope, reach, sort, form, filter_by, state, changes, row_count,
       cursor_key, cursor_id, used)
     VALUES (?, ?, ?, ?, ?, ?, 'building', ?, 0, ?, ?, ?)`,
    ...[kind, scope, reach, sort, form, filterText(filter), changes, first, id, now],
  );
  await writer.run("UPDATE counts SET lists = lists + 1 WHERE uid = ? AND kind = ?", scope, kind);
  const made = (await find(writer, key)) as ListIndexRow;
  if (form === "blocks") await insertBlock(writer, made.id, BEGINNING, 0);
  return made;
}
/** Deletes a part of an index that is void; returns whether there is more to delete. */
export async function dropList(
  writer: Writer,
  { id, kind, scope, state }: ListIndexRow,
  batchRows: number,
): Promise<boolean> {
  await lockCounts(writer, scope, kind);
  if (state !== "void") {
    await writer.run("UPDATE list_indexes SET state = 'void' WHERE id = ?", id);
  }
  const some = "SELECT list, key, row_id FROM list_entries WHERE list = ? LIMIT ?";
  const sql = `DELETE FROM list_entries WHERE (list, key, row_id) IN (${some})`;
  if ((await writer.run(sql, id, batchRows)) === batchRows) return true;
  await writer.run("DELETE FROM list_blocks WHERE list = ?", id);
  if ((await writer.run("DELETE FROM list_indexes WHERE id = ?", id)) > 0) {
    await writer.run("UPDATE counts SET lists = lists - 1 WHERE uid = ? AND kind = ?", scope, kind);
  }
  return false;
}
