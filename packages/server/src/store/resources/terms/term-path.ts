import type { Reader } from "../../db/connection.ts";
import { Conditions, columnTest, type Sql } from "../conditions.ts";
import type { ColumnCondition, Condition, Range } from "../query.ts";
import { countsOf } from "../range-counts.ts";
import type { ResourceTable } from "../resource-table.ts";
import type { TermFilter, TextFilter } from "./terms.ts";

type TermCondition = TermFilter | TextFilter;

/** Up to this many rows are found by a term and sorted; with more, a walk fills a page soon. */
const MAX_SORTED_ROWS = 10_000;

/** Splits conditions into those on columns and those on terms. */
export function splitConditions(filters: readonly Condition[]): {
  readonly columns: readonly ColumnCondition[];
  readonly terms: readonly TermCondition[];
} {
  const isOnTerms = (one: Condition): one is TermCondition => "kind" in one || "text" in one;
  return {
    columns: filters.filter((one): one is ColumnCondition => !isOnTerms(one)),
    terms: filters.filter(isOnTerms),
  };
}

/**
 * The conditions by which SQLite finds the rows of a list through its rarest term; undefined where walking
 * an order and testing the terms of each row is better. PostgreSQL plans by itself.
 */
export async function termPath(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<Sql[] | undefined> {
  const { columns, terms } = splitConditions(filters);
  if (table.terms === undefined || terms.length === 0 || reader.dialect.name !== "sqlite") return;
  if ("uids" in range || columns.some((one) => "value" in one)) return;
  const lead = await rarest(reader, table, range, terms);
  if (lead === undefined) return;
  const conditions = new Conditions(reader.dialect, table.shape);
  return [
    table.terms.among(reader, lead),
    ...conditions.test(range),
    ...columns.map((one) => columnTest(one, conditions.hidden(one.column))),
    ...termTests(
      reader,
      table,
      terms.filter((one) => one !== lead),
    ),
  ];
}

/** The condition that the fewest rows meet, unless the range itself has fewer. */
async function rarest(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  terms: readonly TermCondition[],
): Promise<TermCondition | undefined> {
  const { children, descendants } = await countsOf(reader, table, range);
  const size = "childrenOf" in range ? children : descendants;
  let least = Math.min(size, MAX_SORTED_ROWS + 1);
  let lead: TermCondition | undefined;
  for (const one of terms) {
    if ("text" in one || one.excluded) continue;
    const rows = (await table.terms?.count(reader, one, least)) ?? least;
    if (rows < least) [least, lead] = [rows, one];
  }
  // A search by text finds its words first, whichever way the rows are reached.
  return lead ?? (size > MAX_SORTED_ROWS ? terms.find((one) => "text" in one) : undefined);
}

/** The conditions on terms, as tests of rows that are found by other conditions. */
export function termTests(
  reader: Reader,
  table: ResourceTable,
  terms: readonly TermCondition[],
): Sql[] {
  const termTable = table.terms;
  if (termTable === undefined) return [];
  const hidden = new Conditions(reader.dialect, table.shape).hidden("id");
  return terms.map((one) => {
    if ("text" in one) return termTable.among(reader, one, hidden);
    const isPlain = reader.dialect.name === "postgres" && !one.excluded;
    return isPlain ? termTable.among(reader, one) : termTable.test(reader, one);
  });
}
