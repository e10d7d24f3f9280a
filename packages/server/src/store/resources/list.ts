/**
 * Reads a page of a list and its total by one statement, so that both are of one moment. Ranges are read in one of two
 * ways: by the index that has the order, or else by collecting and sorting the rows (access-path.ts, scattered.ts).
 */
import type { Reader } from "../db/connection.ts";
import { countPath } from "./access-path.ts";
import { Conditions, columnTest, type Sql, sum, where } from "./conditions.ts";
import { readerForAll } from "./cost.ts";
import { orderByColumns, secondaryColumns, startingAt } from "./order-keys.ts";
import {
  fetching,
  fromSql,
  limited,
  MAX_FETCHED_OFFSET,
  orderOf,
  type PageStatement,
  pageStatement,
  partPath,
  ranked,
} from "./page.ts";
import type { Condition, ListQuery } from "./query.ts";
import { sizeOfRanges } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form, PageRow } from "./rows.ts";
import { collected, type Parts, partsOf, within } from "./scattered.ts";
import { splitConditions, termTests } from "./terms/term-path.ts";

/** The columns of a row before those of secondary keys. */
const COLUMNS = 4;

/** The rows of a page, and the number of rows of the whole list. */
export interface ListPage<F extends Form = Form> {
  readonly rows: readonly PageRow<F>[];
  readonly total: number;
}

export async function readList<F extends Form>(
  reader: Reader,
  table: ResourceTable,
  query: ListQuery,
  form: F,
): Promise<ListPage<F>> {
  if (query.ranges.length === 0) return { rows: [], total: 0 };
  const plan = await partsOf(reader, table, query);
  const total = await totalOf(reader, table, query, plan);
  const [only, ...others] = plan.parts;
  const page =
    only !== undefined && others.length + plan.subtrees.length === 0
      ? await pageStatement(reader, table, { ...query, ...only }, form)
      : await ofParts(reader, table, query, plan, form);
  const columns = COLUMNS + (query.secondary?.length ?? 0);
  const sql = reader.dialect.counted(page.text, total.text, columns);
  const by = total.isCostly ? (reader.costly ?? page.reader) : page.reader;
  const found = await by.arrays<PageRow<F>>(sql, ...page.params, ...total.params);
  return {
    rows: found.filter(([, id]) => id !== null),
    total: Number(found.at(-1)?.[columns] ?? 0),
  };
}

/** Page read by a single statement over all parts: the page is chosen from the first rows of each. */
async function ofParts(
  reader: Reader,
  table: ResourceTable,
  query: ListQuery,
  { parts, subtrees }: Parts,
  form: Form,
): Promise<PageStatement> {
  const { dialect } = reader;
  const columns = `${query.order.column} AS k, id${secondaryColumns(dialect, query)}`;
  const branches: Sql[] = [];
  let isCostly = subtrees.length > 0;
  if (isCostly) {
    const tests = [...testsOf(reader, table, query.filters), ...startingAt(dialect, query)];
    const { text, params } = collected(reader, table, subtrees, tests);
    branches.push({ text: `SELECT ${columns} ${text}`, params });
  }
  for (const part of parts) {
    const page = { ...query, ...part, offset: 0, limit: query.offset + query.limit };
    const { path, reader: by } = await partPath(reader, table, page);
    if (by !== reader) isCostly = true;
    const { text, params } = fromSql(reader, table, page, path);
    const rows = { text: `SELECT ${columns} ${text}`, params };
    if (path.sorts) branches.push(rows);
    else {
      const ordered = `${rows.text} ORDER BY ${orderOf(reader, table, page, path)}`;
      const first = limited({ text: ordered, params }, page);
      branches.push({ ...first, text: `SELECT * FROM (${first.text}) page` });
    }
  }
  const all = branches.map(({ text }) => text).join(" UNION ALL ");
  const from = { text: `FROM (${all}) found`, params: branches.flatMap(({ params }) => params) };
  const order = orderByColumns(query);
  const { text, params } =
    query.offset > MAX_FETCHED_OFFSET
      ? ranked("id", from, order, query)
      : limited({ ...from, text: `SELECT id ${from.text} ORDER BY ${order}` }, query);
  return {
    text: fetching(reader, table, query, form, text),
    params,
    reader: isCostly ? (reader.costly ?? reader) : reader,
  };
}

/** Tests rows that are found by uid. */
function testsOf(reader: Reader, table: ResourceTable, filters: readonly Condition[]): Sql[] {
  const { columns, terms } = splitConditions(filters);
  const conditions = new Conditions(reader.dialect, table.shape);
  return [
    ...columns.map((one) => columnTest(one, conditions.hidden(one.column))),
    ...termTests(reader, table, terms),
  ];
}

/** The total of a list as an expression, and whether it costs much to compute. */
async function totalOf(
  reader: Reader,
  table: ResourceTable,
  { ranges, filters, manyRanges }: ListQuery,
  { parts, subtrees }: Parts,
): Promise<Sql & { readonly isCostly: boolean }> {
  const { dialect } = reader;
  if (filters.length === 0) {
    return { ...sizeOfRanges(dialect, table, ranges), isCostly: ranges.length > manyRanges };
  }
  const counts: Sql[] = [];
  let isCostly = subtrees.length > 0;
  if (isCostly) {
    const { text, params } = collected(reader, table, subtrees, testsOf(reader, table, filters));
    counts.push({ text: `(SELECT count(*) ${text})`, params });
  }
  for (const { range, scopes } of parts) {
    const path = await countPath(reader, table, range, filters);
    const { text, params } = where([...path, ...within(dialect, scopes)]);
    counts.push({ text: `(SELECT count(*) FROM ${table.shape.name}${text})`, params });
    if ((await readerForAll(reader, table, range, filters)) !== reader || scopes) isCostly = true;
  }
  return { ...sum(counts), isCostly };
}
