/**
 * Reads a page of a list and its total by one statement, so that both are of one moment. Ranges are read in one of two
 * ways: each by the index that has its order, or else by collecting and sorting its rows (access-path.ts). A caller with
 * many scattered scopes gets the rows of all of them collected and sorted.
 */
import type { Reader } from "../db/connection.ts";
import { countPath, pagePath } from "./access-path.ts";
import { Conditions, columnTest, type Sql, sum, where } from "./conditions.ts";
import { readerForAll, readerForPage } from "./cost.ts";
import { furtherColumns, orderBy, orderByColumns, startingAt } from "./order-keys.ts";
import { limited, orderedSql, type PageStatement, pageStatements } from "./page.ts";
import type { Condition, ListQuery, PageQuery, Range } from "./query.ts";
import { sizeOfRanges } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form, PageRow } from "./rows.ts";
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
  const total = await totalOf(reader, table, query);
  const statements =
    others.length === 0
      ? await ofOneRange(reader, table, { ...query, range: only }, form)
      : [await ofRanges(reader, table, query, form)];
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

/** One statement over all ranges: the first rows of each, of which those of the page are chosen. */
async function ofRanges(
  reader: Reader,
  table: ResourceTable,
  query: ListQuery,
  form: Form,
): Promise<PageStatement> {
  const { dialect } = reader;
  const { subtrees, others } = scattered(query);
  const columns = `${query.order.column} AS k, id${furtherColumns(dialect, query)}`;
  const branches: Sql[] = [];
  let by = reader;
  if (subtrees.length > 0) {
    const { text, params } = collected(reader, table, subtrees, [
      ...testsOf(reader, table, query.filters),
      ...startingAt(dialect, query),
    ]);
    branches.push({ text: `SELECT ${columns} ${text}`, params });
    by = reader.costly ?? reader;
  }
  for (const range of others) {
    const page = { ...query, range, offset: 0, limit: query.offset + query.limit };
    const { first: _, ...path } = await pagePath(reader, table, page);
    const running = await readerForPage(reader, table, page, path);
    if (running !== reader) by = running;
    const { text, params } = limited(orderedSql(reader, table, page, columns, path), page);
    branches.push({ text: `SELECT * FROM (${text}) page`, params });
  }
  const all = branches.map(({ text }) => text).join(" UNION ALL ");
  const order = orderByColumns(query);
  const chosen = `SELECT id FROM (${all}) found ORDER BY ${order} LIMIT ? OFFSET ?`;
  const params = [...branches.flatMap((one) => one.params), query.limit, query.offset];
  return {
    text: fetching(reader, table, query, form)(chosen),
    params,
    reader: by,
    isBounded: false,
  };
}

/** The subtrees of ranges where there are many, and all other ranges. */
function scattered({ ranges, manyRanges }: ListQuery) {
  const isSubtree = (range: Range) => "below" in range && range.self;
  const subtrees = ranges.filter(isSubtree);
  if (subtrees.length <= manyRanges) return { subtrees: [], others: ranges };
  return { subtrees, others: ranges.filter((range) => !isSubtree(range)) };
}

/** The rows of many subtrees, each looked up by its uid. They are of the same partitions. */
function collected(
  reader: Reader,
  table: ResourceTable,
  subtrees: readonly Range[],
  tests: readonly Sql[],
): Sql {
  const { dialect } = reader;
  const conditions = new Conditions(dialect, table.shape);
  const { partitions } = subtrees[0] ?? {};
  // PostgreSQL does not know by which collation to compare otherwise.
  const value = dialect.name === "postgres" ? 'value COLLATE "C"' : "value";
  const found: Sql = { text: `uid >= ${value} AND uid < ${value} || '0'`, params: [] };
  const { text, params } = where([
    found,
    ...conditions.test({ everything: true, ...(partitions && { partitions }) }),
    ...tests,
  ]);
  const tops = subtrees.map((range) => ("below" in range ? range.below : ""));
  // SQLite keeps the order of a cross join: each uid is looked up in the index.
  const from = `FROM (${dialect.texts}) given CROSS JOIN ${table.shape.name}`;
  return { text: `${from}${text}`, params: [JSON.stringify(tops), ...params] };
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
  query: ListQuery,
): Promise<Sql & { readonly isCostly: boolean }> {
  const { ranges, filters, manyRanges } = query;
  if (filters.length === 0) {
    const size = sizeOfRanges(reader.dialect, table, ranges);
    return { ...size, isCostly: ranges.length > manyRanges };
  }
  const { subtrees, others } = scattered(query);
  const counts: Sql[] = [];
  let isCostly = subtrees.length > 0;
  if (isCostly) {
    const { text, params } = collected(reader, table, subtrees, testsOf(reader, table, filters));
    counts.push({ text: `(SELECT count(*) ${text})`, params });
  }
  for (const range of others) {
    const { text, params } = where(await countPath(reader, table, range, filters));
    counts.push({ text: `(SELECT count(*) FROM ${table.shape.name}${text})`, params });
    if ((await readerForAll(reader, table, range, filters)) !== reader) isCostly = true;
  }
  return { ...sum(counts), isCostly };
}
