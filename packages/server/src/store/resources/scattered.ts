/**
 * The rows of a caller with many scattered scopes: far more subtrees than can be read one by one. Either all of their rows
 * are collected, or the rows around them are walked in the requested order and tested.
 */
import { rootOf } from "@wharf/contract";
import type { Dialect, Reader } from "../db/connection.ts";
import { Conditions, type Sql, where } from "./conditions.ts";
import type { ListQuery, Range } from "./query.ts";
import { rangeSize, sizeOfRanges } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";

/** Rows of a range, only those within scopes, if there are any. */
export interface Part {
  readonly range: Range;
  readonly scopes?: readonly string[];
}

/** The plan of a list: parts that are read one by one, and subtrees whose rows are collected together. */
export interface Parts {
  readonly parts: readonly Part[];
  readonly subtrees: readonly Range[];
}

/** Rows that are collected and tested by filters rather than found by the index of a filter. */
const MAX_FILTERED_ROWS = 20_000;

/** Plans how to read the ranges of a list. */
export async function partsOf(
  reader: Reader,
  table: ResourceTable,
  query: ListQuery,
): Promise<Parts> {
  const { ranges, manyRanges } = query;
  const isSubtree = (range: Range) => "below" in range && range.self;
  const subtrees = ranges.filter(isSubtree);
  const part = (range: Range): Part => ({ range });
  if (subtrees.length <= manyRanges) return { parts: ranges.map(part), subtrees: [] };
  const others = ranges.filter((range) => !isSubtree(range)).map(part);
  const around = enclosing(subtrees);
  if (!(await isWalked(reader, table, query, subtrees, around))) return { parts: others, subtrees };
  const scopes = topsOf(subtrees);
  return { parts: [...others, ...around.map((range) => ({ range, scopes }))], subtrees: [] };
}

/** The range that has all subtrees: for each partition, because orders are indexed by partition. */
function enclosing(subtrees: readonly Range[]): Range[] {
  const [first = "", ...others] = topsOf(subtrees);
  const root = rootOf(first);
  const isOne = others.every((top) => top.startsWith(root));
  const range: Range = isOne ? { below: root, self: true } : { everything: true };
  const partitions = subtrees[0]?.partitions;
  return partitions?.map((one) => ({ ...range, partitions: [one] })) ?? [range];
}

/** Whether to walk around the subtrees: a page is full after fewer rows than the subtrees have. */
async function isWalked(
  reader: Reader,
  table: ResourceTable,
  { filters, offset, limit }: ListQuery,
  subtrees: readonly Range[],
  around: readonly Range[],
): Promise<boolean> {
  const { text, params } = sizeOfRanges(reader.dialect, table, subtrees);
  const sql = `SELECT ${text} AS total`;
  const visible =
    (await (reader.costly ?? reader).get<{ total: number }>(sql, ...params))?.total ?? 0;
  if (filters.length > 0) return visible > MAX_FILTERED_ROWS;
  let all = 0;
  for (const range of around) all += await rangeSize(reader, table, range);
  return (offset + limit) * all < visible * (subtrees.length + visible);
}

/** The rows of many subtrees, each looked up by its uid. They are of the same partitions. */
export function collected(
  { dialect }: Reader,
  { shape }: ResourceTable,
  subtrees: readonly Range[],
  tests: readonly Sql[],
): Sql {
  const { partitions } = subtrees[0] ?? {};
  // PostgreSQL does not know by which collation to compare otherwise.
  const value = dialect.name === "postgres" ? 'value COLLATE "C"' : "value";
  const { text, params } = where([
    { text: `uid >= ${value} AND uid < ${value} || '0'`, params: [] },
    ...new Conditions(dialect, shape).test({ everything: true, ...(partitions && { partitions }) }),
    ...tests,
  ]);
  // SQLite keeps the order of a cross join: each uid is looked up in the index.
  const from = `FROM (${dialect.texts}) given CROSS JOIN ${shape.name}`;
  return { text: `${from}${text}`, params: [JSON.stringify(topsOf(subtrees)), ...params] };
}

/** Tests whether rows are within scopes: uids of one depth have the same length, and begin with those above them. */
export function within({ texts }: Dialect, scopes: readonly string[] | undefined): Sql[] {
  if (scopes === undefined) return [];
  const byLength = [...Map.groupBy(scopes, ({ length }) => length)];
  const tests = byLength.map(([length]) => `substr(uid, 1, ${length}) IN (${texts})`);
  return [
    {
      text: `(${tests.join(" OR ")})`,
      params: byLength.map(([, uids]) => JSON.stringify(uids)),
    },
  ];
}

function topsOf(subtrees: readonly Range[]): string[] {
  return subtrees.map((range) => ("below" in range ? range.below : ""));
}
