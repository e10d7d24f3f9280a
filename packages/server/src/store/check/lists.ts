import type { Reader } from "../db/connection.ts";
import { type Block, readBlocks } from "../resources/lists/blocks.ts";
import {
  compareKeys,
  keyOf,
  LIST_COLUMNS,
  type ListIndexRow,
  rangeOf,
  readFilter,
} from "../resources/lists/list-index.ts";
import { readKeys, readPositions } from "../resources/page.ts";
import type { Start } from "../resources/query.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import { MAX_PROBLEMS, type StoreProblem } from "./problem.ts";

const PAGE_SIZE = 5_000;

/** The name of the indexes of lists in problems. */
export const LIST_INDEXES = "list_indexes";

/** Makes all indexes of lists void. */
export const VOID_LISTS = "UPDATE list_indexes SET state = 'void'";

type ListedRow = readonly [key: string, id: number];

/** Compares the indexes of lists that are read with the rows of their lists. */
export async function checkLists(
  reader: Reader,
  tables: readonly ResourceTable[],
): Promise<StoreProblem[]> {
  const lists = await reader.all<ListIndexRow>(
    `SELECT ${LIST_COLUMNS.replace(/\w+/g, "l.$&")} FROM list_indexes l
     JOIN counts c ON c.uid = l.scope AND c.kind = l.kind
     WHERE l.state = 'complete' AND l.changes = c.changes ORDER BY l.id`,
  );
  const problems: StoreProblem[] = [];
  for (const list of lists) {
    const [table, partition] = tableOf(list, tables);
    if (table === undefined) continue;
    const wrong =
      list.form === "entries"
        ? await wrongEntries(reader, table, partition, list)
        : await wrongBlocks(reader, table, partition, list);
    if (wrong === 0) continue;
    const { form, kind, reach, scope, sort } = list;
    const filtered = list.filter_by === "" ? "" : ` with ${list.filter_by}`;
    const problem = `${wrong} wrong ${form} of ${kind}${filtered} by ${sort}, ${reach} ${scope || "the root"}`;
    problems.push({ kind: "index", name: LIST_INDEXES, problem });
  }
  return problems.slice(0, MAX_PROBLEMS);
}

function tableOf(
  { kind }: ListIndexRow,
  tables: readonly ResourceTable[],
): [table: ResourceTable | undefined, partition: number | undefined] {
  const [name, partition] = kind.split("/");
  const table = tables.find(({ shape }) => shape.name === name);
  return [table, partition === undefined ? undefined : Number(partition)];
}

async function wrongEntries(
  reader: Reader,
  table: ResourceTable,
  partition: number | undefined,
  list: ListIndexRow,
): Promise<number> {
  const { tuples, asInteger } = reader.dialect;
  let [rows, found] = [0, 0];
  for await (const some of rowsOf(reader, table, partition, list)) {
    const matching = await reader.get<{ total: number }>(
      `SELECT count(*) AS total FROM list_entries WHERE list = ? AND (key, row_id) IN
         (SELECT key, ${asInteger("row_id")} FROM (${tuples("key", "row_id")}) given)`,
      list.id,
      JSON.stringify(some),
    );
    rows += some.length;
    found += matching?.total ?? 0;
  }
  const sql = "SELECT count(*) AS total FROM list_entries WHERE list = ?";
  const all = (await reader.get<{ total: number }>(sql, list.id))?.total ?? 0;
  const miscounted = list.filter_by === "" || list.row_count === rows ? 0 : 1;
  return rows - found + (all - found) + miscounted;
}

async function wrongBlocks(
  reader: Reader,
  table: ResourceTable,
  partition: number | undefined,
  list: ListIndexRow,
): Promise<number> {
  const blocks = await readBlocks(reader, list.id);
  const found = blocks.map(() => 0);
  for await (const some of rowsOf(reader, table, partition, list)) {
    for (const row of some) {
      const at = blockOf(blocks, row);
      found[at] = (found[at] ?? 0) + 1;
    }
  }
  return blocks.filter(({ rows }, at) => rows !== found[at]).length;
}

/** The last block that begins at or before a row. */
function blockOf(blocks: readonly Block[], [key, id]: ListedRow): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const block = blocks[middle] as Block;
    const order = compareKeys(block.key, key) || block.id - id;
    if (order <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The rows of a list in batches, in the order of uids. */
async function* rowsOf(
  reader: Reader,
  table: ResourceTable,
  partition: number | undefined,
  { scope, reach, sort, filter_by }: ListIndexRow,
): AsyncIterable<ListedRow[]> {
  const filter = readFilter(filter_by);
  const filters = filter === undefined ? [] : [filter];
  const range = rangeOf({ partition, scope, reach });
  const order = { column: "uid", descending: false } as const;
  for (let start: Start | undefined; ; ) {
    const query = { range, filters, order, start, offset: 0, limit: PAGE_SIZE };
    const positions = await readPositions(reader, table, query);
    const ids = positions.map(({ id }) => id);
    const values = await readKeys(reader, table, ids, [sort]);
    yield [...values].map(([id, [value = ""]]) => [keyOf(value), id]);
    const last = positions.at(-1);
    if (last === undefined || positions.length < PAGE_SIZE) return;
    start = { ...last, inclusive: false };
  }
}
