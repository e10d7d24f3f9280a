import type { Reader } from "../db/connection.ts";
import { asked, Conditions, type Sql } from "./conditions.ts";
import type { Range } from "./page.ts";
import { countsOf } from "./range-counts.ts";
import type { Bound, Condition, Filter, ResourceTable } from "./resource-table.ts";
import type { TermFilter, TextFilter } from "./terms.ts";

type OfTerms = TermFilter | TextFilter;

/** Up to this many rows are found by a term and then sorted; of more, a page is full soon anyway. */
const FEW = 10_000;

/**
 * Tells the conditions on columns from those on terms.
 *
 * @example const { columns, terms } = apart(query.filters);
 */
export function apart(filters: readonly Condition[]): {
  readonly columns: readonly (Filter | Bound)[];
  readonly terms: readonly OfTerms[];
} {
  const isOfTerms = (one: Condition): one is OfTerms => "kind" in one || "text" in one;
  return {
    columns: filters.filter((one): one is Filter | Bound => !isOfTerms(one)),
    terms: filters.filter(isOfTerms),
  };
}

/**
 * How SQLite best comes by the rows of a list through one of its terms; undefined where it does so
 * better through an order of rows, asking each for its terms. PostgreSQL chooses by itself.
 *
 * @example const conditions = await throughTerms(reader, table, range, filters);
 */
export async function throughTerms(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<Sql[] | undefined> {
  const { columns, terms } = apart(filters);
  if (table.terms === undefined || terms.length === 0 || reader.dialect.name !== "sqlite") return;
  if ("uids" in range || columns.some((one) => "value" in one)) return;
  const lead = await rarest(reader, table, range, terms);
  if (lead === undefined) return;
  const conditions = new Conditions(reader.dialect, table.shape);
  return [
    table.terms.among(reader, lead),
    ...conditions.within(range),
    ...columns.map((one) => asked(one, conditions.hidden(one.column))),
    ...tests(
      reader,
      table,
      terms.filter((one) => one !== lead),
    ),
  ];
}

/** The condition that fewest rows hold for, unless the range itself has fewer. */
async function rarest(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  terms: readonly OfTerms[],
): Promise<OfTerms | undefined> {
  const { children, descendants } = await countsOf(reader, table, range);
  const size = "childrenOf" in range ? children : descendants;
  let least = Math.min(size, FEW + 1);
  let lead: OfTerms | undefined;
  for (const one of terms) {
    if ("text" in one || one.excluded) continue;
    const rows = (await table.terms?.count(reader, one, least)) ?? least;
    if (rows < least) [least, lead] = [rows, one];
  }
  // What a text is in has to be found before any row can be asked.
  return lead ?? (size > FEW ? terms.find((one) => "text" in one) : undefined);
}

/**
 * The conditions on terms as they are asked of rows that are come by otherwise.
 *
 * @example const sql = tests(reader, table, terms);
 */
export function tests(reader: Reader, table: ResourceTable, terms: readonly OfTerms[]): Sql[] {
  const ofTable = table.terms;
  if (ofTable === undefined) return [];
  const hidden = new Conditions(reader.dialect, table.shape).hidden("id");
  return terms.map((one) => {
    if ("text" in one) return ofTable.among(reader, one, hidden);
    const isPlain = reader.dialect.name === "postgres" && !one.excluded;
    return isPlain ? ofTable.among(reader, one) : ofTable.test(reader, one);
  });
}
