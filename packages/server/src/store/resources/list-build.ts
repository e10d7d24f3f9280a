import type { Writer } from "../db/connection.ts";
import { Conditions } from "./conditions.ts";
import { type Counts, countKind } from "./counts.ts";
import {
  filterText,
  findList,
  isListed,
  keyOf,
  LIST_COLUMNS,
  type ListIndexRow,
  type ListKey,
  listOf,
  needsEntries,
  positionAt,
  rangeOf,
} from "./list-index.ts";
import { readKeys, readPositions } from "./page.ts";
import type { Filter, Order, Position, Start } from "./query.ts";
import { rowsAt } from "./range-counts.ts";

/** How much one step of a build does. */
export interface BuildLimits {
  /** Entries written, or rows walked, by one step: the other writes wait for it. */
  readonly batchRows: number;
  /** Rows from one block to the next. A block that has grown to twice as many is split. */
  readonly blockRows: number;
  /** Rows that are sorted when read: larger lists get entries. */
  readonly sortedRows: number;
}

/** How precisely the time of the last use is known. */
const MARK_USED_MS = 3_600_000;

/** Before every row. */
const BEGINNING = { key: "", id: -1 };

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

/** Adds entries of further rows. Writes add those of rows that they change, wherever the build is. */
async function addEntries(
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
  await advance(writer, list, isComplete ? "complete" : "building", last);
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

async function advance(
  writer: Writer,
  list: number,
  state: "building" | "complete",
  cursor: Position | undefined,
): Promise<void> {
  await writer.run("UPDATE list_indexes SET state = ? WHERE id = ?", state, list);
  if (cursor === undefined) return;
  const sql = "UPDATE list_indexes SET cursor_key = ?, cursor_id = ? WHERE id = ?";
  await writer.run(sql, keyOf(cursor.key), cursor.id, list);
}

/** Adds the next blocks, or splits those that have grown. */
async function buildBlocks(
  writer: Writer,
  key: ListKey,
  index: ListIndexRow,
  counts: Counts,
  limits: BuildLimits,
): Promise<boolean> {
  const entries = await entriesOf(writer, key, counts, limits);
  if (entries === "missing") return false;
  const walk = new BlockWalk(writer, key, limits.blockRows, entries);
  const most = Math.max(1, Math.floor(limits.batchRows / limits.blockRows));
  if (index.state === "complete") return splitBlocks(writer, index.id, walk, most);
  let open = { key: index.cursor_key, id: index.cursor_id };
  for (let built = 0; built < most; built++) {
    const next = await walk.next(open);
    if (next === undefined) {
      // The counts and the other blocks agree with the rows, so the last block has what is left.
      const before = await writer.get<{ total: number | null }>(
        "SELECT sum(row_count) AS total FROM list_blocks WHERE list = ?",
        index.id,
      );
      const rest = rowsAt(key.table, rangeOf(key), counts) - Number(before?.total ?? 0);
      await countBlock(writer, index.id, open, rest);
      await advance(writer, index.id, "complete", undefined);
      return false;
    }
    await countBlock(writer, index.id, open, limits.blockRows);
    await insertBlock(writer, index.id, next, 0);
    open = next;
  }
  await advance(writer, index.id, "building", open);
  return true;
}

async function splitBlocks(
  writer: Writer,
  list: number,
  walk: BlockWalk,
  most: number,
): Promise<boolean> {
  const grown = await writer.all<{ key: string; id: number; row_count: number }>(
    "SELECT key, row_id AS id, row_count FROM list_blocks WHERE list = ? AND row_count > ? LIMIT ?",
    list,
    2 * walk.rows,
    most,
  );
  let split = 0;
  for (const block of grown) {
    const next = await walk.next(block);
    if (next === undefined) continue;
    split++;
    await countBlock(writer, list, block, walk.rows);
    await insertBlock(writer, list, next, block.row_count - walk.rows);
  }
  return split > 0;
}

/** Finds the beginnings of blocks. */
class BlockWalk {
  readonly rows: number;
  readonly #writer: Writer;
  readonly #key: ListKey;
  readonly #entries: number | undefined;

  constructor(writer: Writer, key: ListKey, rows: number, entries: number | undefined) {
    this.rows = rows;
    this.#writer = writer;
    this.#key = key;
    this.#entries = entries;
  }

  /** The first row behind the block that begins at a row. */
  async next(block: { key: string; id: number }): Promise<{ key: string; id: number } | undefined> {
    const { table, sort } = this.#key;
    const start =
      block.id === BEGINNING.id
        ? undefined
        : { ...positionAt(sort, block.key, block.id), inclusive: true };
    const [found] = await readPositions(this.#writer, table, {
      range: rangeOf(this.#key),
      filters: [],
      order: { column: sort, descending: false },
      start,
      offset: this.rows,
      limit: 1,
      entries: this.#entries,
    });
    return found && { key: keyOf(found.key), id: found.id };
  }
}

/** The entries of the same list: missing where it needs them and they are not complete. */
async function entriesOf(
  writer: Writer,
  key: ListKey,
  counts: Counts,
  { sortedRows }: BuildLimits,
): Promise<number | "missing" | undefined> {
  const { table, sort } = key;
  const range = rangeOf(key);
  if (!needsEntries(writer, table, range, sort, counts, sortedRows)) return undefined;
  const entries = listOf(table, range, sort, "entries");
  const found = entries && (await findList(writer, entries));
  return found?.index?.state === "complete" ? found.index.id : "missing";
}

async function insertBlock(
  writer: Writer,
  list: number,
  { key, id }: { key: string; id: number },
  rows: number,
): Promise<void> {
  await writer.run(
    "INSERT INTO list_blocks (list, key, row_id, row_count) VALUES (?, ?, ?, ?)",
    ...[list, key, id, rows],
  );
}

async function countBlock(
  writer: Writer,
  list: number,
  { key, id }: { key: string; id: number },
  rows: number,
): Promise<void> {
  await writer.run(
    "UPDATE list_blocks SET row_count = ? WHERE list = ? AND key = ? AND row_id = ?",
    ...[rows, list, key, id],
  );
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
