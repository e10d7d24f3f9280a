/**
 * Indexes of single lists, for what the indexes of the tables lack. They are built on demand, for large
 * ranges only, and every write below their scope maintains them in its own transaction. This folder may import the
 * queries and tables of store/resources/, and store/db/.
 *
 * - `entries` has the rows of a range in an order that no index of the table has.
 * - `blocks` has, every few thousand rows of a list, a position and the number of rows up to the next one.
 */
import { isSelfOrBelow } from "@wharf/contract";
import type { Reader, Writer } from "../../db/connection.ts";
import { Conditions } from "../conditions.ts";
import { type Counts, countKind } from "../counts.ts";
import type { Filter, Order, Position, Range } from "../query.ts";
import { isDense, rowsAt, topOf } from "../range-counts.ts";
import type { ResourceTable } from "../resource-table.ts";

/** Which rows a list has: the children of its scope, all rows below it, or these and the scope itself. */
export type ListReach = "children" | "below" | "self";

export interface ListKey {
  readonly table: ResourceTable;
  readonly partition: number | undefined;
  readonly scope: string;
  readonly reach: ListReach;
  readonly sort: Order["column"];
  readonly form: "entries" | "blocks";
  /** The value that all rows of the list have in a column. */
  readonly filter?: Filter | undefined;
}

/** Only a complete index is read; a void one is deleted in batches. */
export type ListState = "building" | "complete" | "void";

export interface ListIndexRow {
  readonly id: number;
  readonly kind: string;
  readonly scope: string;
  readonly reach: ListReach;
  readonly sort: Order["column"];
  readonly form: ListKey["form"];
  /** The filter of the list, as text; "" for none. */
  readonly filter_by: string;
  readonly state: ListState;
  readonly changes: number;
  /** The number of its entries, where it has a filter and is complete. */
  readonly row_count: number;
  readonly cursor_key: string;
  readonly cursor_id: number;
  readonly used: number;
}

/** How much one step of a build does. */
export interface BuildLimits {
  /** Entries written, or rows walked, by one step: the other writes wait for it. */
  readonly batchRows: number;
  /** Rows from one block to the next. A block that has grown to twice as many is split. */
  readonly blockRows: number;
  /** Rows that are sorted when read: larger lists get entries. */
  readonly sortedRows: number;
}

/** Before every row. */
export const BEGINNING = { key: "", id: -1 };

/** The columns of a row that lists are ordered by. */
export interface SortValues {
  readonly uid: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
}

export const LIST_COLUMNS =
  "id, kind, scope, reach, sort, form, filter_by, state, changes, row_count, cursor_key, cursor_id, used";

/** A filter as it is stored. */
export function filterText(filter: Filter | undefined): string {
  return filter === undefined ? "" : JSON.stringify([filter.column, filter.value]);
}

/** Reads a stored filter. */
export function readFilter(text: string): Filter | undefined {
  if (text === "") return undefined;
  const [column, value] = JSON.parse(text) as [string, string | number];
  return { column, value };
}

/** Digits of times as keys: all keys are texts, and these sort like the numbers. */
const TIME_DIGITS = 15;

/** A value of an order as the key of an entry or a block. */
export function keyOf(value: string | number): string {
  return typeof value === "string" ? value : String(value).padStart(TIME_DIGITS, "0");
}

/** The position of a key. */
export function positionAt(sort: Order["column"], key: string, id: number): Position {
  return { key: sort === "uid" || sort === "name" ? key : Number(key), id };
}

/** Compares keys as the databases do: by bytes. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The range of a list; undefined where it has no node of its own. */
export function listOf(
  table: ResourceTable,
  range: Range,
  sort: Order["column"],
  form: ListKey["form"],
  filter?: Filter,
): ListKey | undefined {
  if ("uids" in range) return undefined;
  const { partitions: wanted = [], ...top } = range;
  const isPartitioned = table.shape.partitions !== undefined;
  const [partition, ...others] = wanted;
  if (isPartitioned && (partition === undefined || others.length > 0)) return undefined;
  // Entries serve lists with and without the scope, unless their number is the total.
  const includesScope =
    "below" in top &&
    table.shape.isScope &&
    (top.self || (form === "entries" && filter === undefined));
  const reach = "childrenOf" in top ? "children" : includesScope ? "self" : "below";
  return { table, partition, scope: topOf(range), reach, sort, form, filter };
}

/** The range that a list was made for. */
export function rangeOf({
  partition,
  scope,
  reach,
}: Pick<ListKey, "partition" | "scope" | "reach">): Range {
  const partitions = partition === undefined ? {} : { partitions: [partition] };
  if (reach === "children") return { childrenOf: scope, ...partitions };
  if (scope === "") return { everything: true, ...partitions };
  return { below: scope, self: reach === "self", ...partitions };
}

/** Whether a list has a row. */
export function isListed(
  { scope, reach }: Pick<ListIndexRow, "scope" | "reach">,
  { uid, parent }: { readonly uid: string; readonly parent: string },
): boolean {
  if (reach === "children") return parent === scope;
  if (reach === "self" && uid === scope) return true;
  return scope === "" || (parent !== "" && isSelfOrBelow(parent, scope));
}

/** Whether an index of the table has a range in an order. */
export function isIndexed(
  { dialect }: Reader,
  table: ResourceTable,
  range: Range,
  sort: Order["column"],
): boolean {
  return new Conditions(dialect, table.shape).hasInOrderOf(range, sort);
}

/** Whether a list needs entries: no index has its order, and it has more rows than are sorted when read. */
export function needsEntries(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  sort: Order["column"],
  counts: Counts,
  sortedRows: number,
): boolean {
  if (isIndexed(reader, table, range, sort)) return false;
  return rowsAt(table, range, counts) > sortedRows && !isDense(range, sort, counts);
}

/** A list with the counts of its scope, read together. */
export interface FoundList {
  readonly counts: Counts;
  /** The number of its rows. */
  readonly size: number;
  /** Its index, if there is one that can be read or is being built. */
  readonly index: ListIndexRow | undefined;
}

/** Looks up the index of a list. It is missing if a write did not maintain it. */
export async function findList(reader: Reader, key: ListKey): Promise<FoundList> {
  const { table, partition, scope, reach, sort, form, filter } = key;
  const row = await reader.get<Counts & Partial<ListIndexRow> & { counted: number }>(
    `SELECT c.children, c.descendants, c.changes AS counted, l.id, l.kind, l.scope, l.reach, l.sort,
       l.form, l.filter_by, l.state, l.changes, l.row_count, l.cursor_key, l.cursor_id, l.used
     FROM counts c LEFT JOIN list_indexes l ON l.kind = c.kind AND l.scope = c.uid
       AND l.reach = ? AND l.sort = ? AND l.form = ? AND l.filter_by = ?
       AND l.state <> 'void' AND l.changes = c.changes
     WHERE c.uid = ? AND c.kind = ?`,
    reach,
    sort,
    form,
    filterText(filter),
    scope,
    countKind(table.shape.name, partition),
  );
  if (row === undefined) {
    return { counts: { children: 0, descendants: 0, changes: 0 }, size: 0, index: undefined };
  }
  const counts = { children: row.children, descendants: row.descendants, changes: row.counted };
  const size = rowsAt(table, rangeOf(key), counts);
  return { counts, size, index: row.id ? (row as unknown as ListIndexRow) : undefined };
}

/** Records how far the build of an index has come. */
export async function setProgress(
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
