/**
 * Reads a page of a list and its total by one statement, so that both are of one moment. Ranges are read in one of two
 * ways: by the index that has the order, or else by collecting and sorting the rows (access-path.ts, scattered.ts).
 */
import type { Reader } from "../db/connection.ts";
import { countPath, pagePath } from "./access-path.ts";
import { Conditions, columnTest, type Sql, sum, where } from "./conditions.ts";
import { readerForAll, readerForPage } from "./cost.ts";
import { furtherColumns, orderBy, orderByColumns, startingAt } from "./order-keys.ts";
import { limited, orderedSql, type PageStatement, pageStatements } from "./page.ts";
import type { Condition, ListQuery, PageQuery } from "./query.ts";
import { sizeOfRanges } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form, PageRow } from "./rows.ts";
import { collected, type Parts, partsOf, within } from "./scattered.ts";
import { splitConditions, termTests } from "./terms/term-path.ts";

/** Beyond this offset, ids are selected from an index first, and only the rows of the page are fetched. */
const MAX_FETCHED_OFFSET = 200;

/** The columns of a row before those of further keys. */
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
  const [only, ...others] = query.ranges;
  if (only === undefined) return { rows: [], total: 0 };
  const parts = await partsOf(reader, table, query);
  const total = await totalOf(reader, table, query, parts);
  const statements =
    others.length === 0
      ? await ofOneRange(reader, table, { ...query, range: only }, form)
      : [await ofParts(reader, table, query, parts, form)];
  const columns = COLUMNS + (query.further?.length ?? 0);
  let page: ListPage<F> = { rows: [], total: 0 };
  for (const { text, params, reader: by, isBounded } of statements) {
    const sql = reader.dialect.counted(text, total.text, columns);
    const run = total.isCostly ? (reader.costly ?? by) : by;
    const found = await run.arrays<PageRow<F>>(sql, ...params, ...total.params);
    page = {
      rows: found.filter(([, id]) => id !== null),
      total: Number(found.at(-1)?.[columns] ?? 0),
    };
    if (!isBounded || page.rows.length === query.limit) break;
  }
  return page;
}

/** Fetches the rows whose ids a statement selects. */
function fetching(
  reader: Reader,
  table: ResourceTable,
  query: Omit<PageQuery, "range">,
  form: Form,
) {
  const { dialect } = reader;
  const hidden = (column: string) => new Conditions(dialect, table.shape).hidden(column);
  const columns = `r.${query.order.column}, r.id, r.encoding, r.${form}${furtherColumns(dialect, query, "r.")}`;
  return (chosen: string) => `SELECT ${columns}
     FROM (${chosen}) chosen JOIN ${table.shape.name} r ON r.id = chosen.id
     ORDER BY ${orderBy(dialect, query, "r.", hidden)}`;
}

function ofOneRange(reader: Reader, table: ResourceTable, query: PageQuery, form: Form) {
  const { order, offset } = query;
  if (offset > MAX_FETCHED_OFFSET)
    return pageStatements(reader, table, query, {
      columns: "id",
      within: fetching(reader, table, query, form),
    });
  const columns = `${order.column}, id, encoding, ${form}${furtherColumns(reader.dialect, query)}`;
  return pageStatements(reader, table, query, { columns });
}

/** One statement over all parts: the first rows of each, of which those of the page are chosen. */
async function ofParts(
  reader: Reader,
  table: ResourceTable,
  query: ListQuery,
  { parts, subtrees }: Parts,
  form: Form,
): Promise<PageStatement> {
  const { dialect } = reader;
  const columns = `${query.order.column} AS k, id${furtherColumns(dialect, query)}`;
  const branches: Sql[] = [];
  let isCostly = subtrees.length > 0;
  if (isCostly) {
    const tests = [...testsOf(reader, table, query.filters), ...startingAt(dialect, query)];
    const { text, params } = collected(reader, table, subtrees, tests);
    branches.push({ text: `SELECT ${columns} ${text}`, params });
  }
  for (const { range, scopes } of parts) {
    const page = { ...query, range, offset: 0, limit: query.offset + query.limit };
    const { first: _, ...path } = await pagePath(reader, table, page);
    if ((await readerForPage(reader, table, page, path)) !== reader || scopes) isCostly = true;
    const conditions = [...path.conditions, ...within(dialect, scopes)];
    const ordered = orderedSql(reader, table, page, columns, { ...path, conditions });
    const { text, params } = limited(ordered, page);
    branches.push({ text: `SELECT * FROM (${text}) page`, params });
  }
  const all = branches.map(({ text }) => text).join(" UNION ALL ");
  const order = orderByColumns(query);
  const chosen = `SELECT id FROM (${all}) found ORDER BY ${order} LIMIT ? OFFSET ?`;
  return {
    text: fetching(reader, table, query, form)(chosen),
    params: [...branches.flatMap((one) => one.params), query.limit, query.offset],
    reader: isCostly ? (reader.costly ?? reader) : reader,
    isBounded: false,
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
