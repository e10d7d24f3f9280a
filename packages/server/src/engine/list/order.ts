import { invalidArgument } from "../../lib/errors.ts";
import type { Order, OrderKey } from "../../store/resources/query.ts";

/** The column of each sort key. */
const COLUMNS: Readonly<Record<string, Order["column"]>> = {
  // For resources whose uid is that of their group.
  group: "uid",
  uid: "uid",
  name: "name",
  created_at: "created",
  updated_at: "updated",
};

/** Aliases of sort keys. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["create_time", "created_at"],
  ["createTime", "created_at"],
  ["update_time", "updated_at"],
  ["updateTime", "updated_at"],
]);

export interface ListOrder {
  /** The order that an index has. */
  readonly order: Order;
  /** The keys by which rows with equal values of that order are sorted; all rows, where it is by uid. */
  readonly secondary: readonly OrderKey[];
}

/** The keys that a resource can be ordered by. */
export interface SortKeys {
  readonly columns: readonly string[];
  /** Kinds of search terms, by the name of the key. */
  readonly terms?: Readonly<Record<string, string>> | undefined;
}

const BY_UID: Order = { column: "uid", descending: false };

/** Parses `order_by`, such as `name desc` or `name, created_at desc`. Directions may be in upper case. */
export function parseOrder(text: string, fallback: Order, allowed: SortKeys): ListOrder {
  if (text.trim() === "") return { order: fallback, secondary: [] };
  const keys = withoutRedundant(text.split(",").map((key) => parseKey(key, allowed)));
  const [first, ...secondary] = keys as [OrderKey, ...OrderKey[]];
  return "column" in first ? { order: first, secondary } : { order: BY_UID, secondary: keys };
}

function parseKey(text: string, { columns, terms = {} }: SortKeys): OrderKey {
  const words = text.split(" ").filter((word) => word !== "");
  const [key = "", word = "asc", ...rest] = words;
  const direction = word.toLowerCase();
  const name = ALIASES.get(key) ?? key;
  const column = columns.includes(name) ? COLUMNS[name] : undefined;
  const term = Object.hasOwn(terms, name) ? terms[name] : undefined;
  const isDirected = rest.length === 0 && (direction === "asc" || direction === "desc");
  const descending = direction === "desc";
  if (column !== undefined && isDirected) return { column, descending };
  if (term !== undefined && isDirected) return { term, descending };
  const all = [...columns, ...Object.keys(terms)].join(", ");
  throw invalidArgument({
    field: "orderBy",
    description: `orderBy must be one of ${all}, or several of them with commas, each optionally followed by " desc"`,
  });
}

/** A key that occurs twice decides nothing the second time, nor does any key after the unique uid. */
function withoutRedundant(keys: readonly OrderKey[]): OrderKey[] {
  const distinct: OrderKey[] = [];
  for (const key of keys) {
    if (distinct.some((one) => nameOf(one) === "uid" || nameOf(one) === nameOf(key))) continue;
    distinct.push(key);
  }
  return distinct;
}

function nameOf(key: OrderKey): string {
  return "column" in key ? key.column : `term ${key.term}`;
}
