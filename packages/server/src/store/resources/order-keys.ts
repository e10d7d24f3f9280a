import type { Dialect, Value } from "../db/connection.ts";
import { between, type Sql } from "./conditions.ts";
import type { OrderKey, PageQuery } from "./query.ts";

/** A key of an order as SQL. */
interface SortKey {
  readonly text: string;
  readonly descending: boolean;
}

type Ordered = Pick<PageQuery, "order" | "secondary">;
type Started = Pick<PageQuery, "order" | "secondary" | "start">;

/** The keys of an order, as expressions on the columns of a table. Keys in another order than that of an index follow it. */
function sortKeys(dialect: Dialect, { order, secondary = [] }: Ordered, table = ""): SortKey[] {
  const keys: readonly OrderKey[] =
    secondary.length > 0 && order.column === "uid" ? secondary : [order, ...secondary];
  return keys.map((key) => ({
    text: "column" in key ? table + key.column : dialect.joinedTerms(`${table}terms`, key.term),
    descending: key.descending,
  }));
}

/** The columns of secondary keys, `f1` and so on, each after a comma. */
export function secondaryColumns(
  dialect: Dialect,
  { secondary = [] }: Ordered,
  table = "",
): string {
  if (secondary.length === 0) return "";
  const order = { column: "uid", descending: false } as const;
  return sortKeys(dialect, { order, secondary }, table)
    .map(({ text }, at) => `, ${text} AS f${at + 1}`)
    .join("");
}

/** Orders rows by all keys, and at last by their ids, in the direction of the last key. */
export function orderBy(
  dialect: Dialect,
  query: Ordered,
  table = "",
  hide = (column: string) => column,
): string {
  const keys = sortKeys(dialect, query, table);
  const isUnique = query.order.column === "uid" && keys.length === 1 && !query.secondary?.length;
  const all = keys.map(({ text, descending }, at) => {
    return `${at === 0 ? hide(text) : text} ${directionOf(descending)}`;
  });
  return [...all, ...(isUnique ? [] : [`${table}id ${directionOf(idsDescend(keys))}`])].join(", ");
}

/** The same for rows with the columns `k` of the first key, `f1` and so on of secondary ones, and `id`. */
export function orderByColumns({ order, secondary = [] }: Ordered): string {
  const isBySecondary = secondary.length > 0 && order.column === "uid";
  const keys = [
    ...(isBySecondary ? [] : [{ name: "k", descending: order.descending }]),
    ...secondary.map(({ descending }, at) => ({ name: `f${at + 1}`, descending })),
  ];
  const all = keys.map(({ name, descending }) => `${name} ${directionOf(descending)}`);
  return [...all, `id ${directionOf(idsDescend(keys))}`].join(", ");
}

function idsDescend(keys: readonly { readonly descending: boolean }[]): boolean {
  return keys.at(-1)?.descending ?? false;
}

function directionOf(descending: boolean): string {
  return descending ? "DESC" : "ASC";
}

/** The rows from the start of a page on. */
export function startingAt(dialect: Dialect, query: Started): Sql[] {
  const { start, order, secondary = [] } = query;
  if (start === undefined) return [];
  if (secondary.length > 0) return afterKeys(dialect, query, start.secondary ?? []);
  if (order.column === "uid") {
    const bound = { uid: String(start.key), inclusive: start.inclusive };
    return [between(order.descending ? { to: bound } : { from: bound })];
  }
  const than = `${order.descending ? "<" : ">"}${start.inclusive ? "=" : ""}`;
  return [{ text: `(${order.column}, id) ${than} (?, ?)`, params: [start.key, start.id] }];
}

/** The rows after a position in the order of several keys, which may have different directions. */
function afterKeys(dialect: Dialect, query: Started, secondary: readonly Value[]): Sql[] {
  const { start, order } = query;
  if (start === undefined) return [];
  const keys = sortKeys(dialect, query);
  const isBySecondary = order.column === "uid";
  const values = isBySecondary ? secondary : [start.key, ...secondary];
  const last = { text: `id ${idsDescend(keys) ? "<" : ">"} ?`, params: [start.id] as Value[] };
  const after = keys.reduceRight(({ text, params }, key, at) => {
    const value = values[at] ?? "";
    const than = key.descending ? "<" : ">";
    return {
      text: `(${key.text} ${than} ? OR (${key.text} = ? AND ${text}))`,
      params: [value, value, ...params],
    };
  }, last);
  if (isBySecondary) return [after];
  // Says the same of the first key once more: a walk by its index begins there.
  const from = `${order.column} ${order.descending ? "<=" : ">="} ?`;
  return [{ text: from, params: [start.key] }, after];
}
