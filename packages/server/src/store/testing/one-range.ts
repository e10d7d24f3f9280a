/** Reads of one range, for tests of their plans. */
import type { Reader } from "../db/connection.ts";
import { countPath } from "../resources/access-path.ts";
import { where } from "../resources/conditions.ts";
import { readerForAll } from "../resources/cost.ts";
import { readList } from "../resources/list.ts";
import type { Condition, PageQuery, Range } from "../resources/query.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import type { Form, PageRow } from "../resources/rows.ts";

export async function readPage(
  reader: Reader,
  table: ResourceTable,
  { range, ...query }: PageQuery,
  form: Form,
): Promise<readonly PageRow[]> {
  return (await readList(reader, table, { ...query, ranges: [range], manyRanges: 100 }, form)).rows;
}

export async function countRange(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<number> {
  const { text, params } = where(await countPath(reader, table, range, filters));
  const by = await readerForAll(reader, table, range, filters);
  const sql = `SELECT count(*) AS total FROM ${table.shape.name}${text}`;
  return (await by.get<{ total: number }>(sql, ...params))?.total ?? 0;
}
