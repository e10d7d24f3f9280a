import type { Dialect, Value } from "../db/connection.ts";
import type { CopiedTable } from "./copied-table.ts";

/**
 * Rows of one database in the other. They are equal but for positions in the log of events: PostgreSQL orders events by
 * transaction and id, SQLite by id alone, with 0 for the transaction (tables/events/event-log.ts).
 */

/** Each store records its own schema. */
const RECORDS: ReadonlySet<string> = new Set(["migrations", "table_digests"]);

/** The number of a transaction means nothing in another database. */
const TRANSACTIONS: Readonly<Record<string, string>> = {
  events: "tx",
  event_cursors: "tx",
  subscription_states: "start_tx",
};

export interface Conversion {
  /** The table in the target. */
  readonly table: CopiedTable;
  convert(row: readonly Value[]): readonly Value[];
}

/** Conversion of the rows of a table; undefined if they are not copied. */
export function conversionOf(
  from: CopiedTable,
  to: CopiedTable | undefined,
  dialects: { readonly from: Dialect["name"]; readonly to: Dialect["name"] },
): Conversion | undefined {
  if (dialects.from === dialects.to) return { table: from, convert: (row) => row };
  if (to === undefined || RECORDS.has(from.name)) return undefined;
  const places = to.columns.map(({ name }) => {
    if (TRANSACTIONS[from.name] === name) return undefined;
    const at = from.columns.findIndex((column) => column.name === name);
    if (at < 0) throw new Error(`${from.name} has no column ${name}`);
    return at;
  });
  const convert = (row: readonly Value[]) =>
    places.map((at) => (at === undefined ? 0 : (row[at] as Value)));
  return { table: to, convert };
}
