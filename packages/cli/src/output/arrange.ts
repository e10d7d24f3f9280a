import { usageError } from "../errors.ts";
import type { Column } from "./columns.ts";
import { comparable, compare, matches, type Operator, readerOf } from "./fields.ts";
import type { Items } from "./output.ts";

/** The restriction and order of a list, as options give it. */
export interface Arrangement {
  readonly sort?: string | undefined;
  readonly filter?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  /** Whether only the rows within the limit are sorted: those of a log, which nobody reads to its end. */
  readonly sortsWithinLimit?: boolean;
}

export interface Sort {
  readonly field: string;
  readonly descending: boolean;
}

/** Parses `--sort`: `name` or `name desc`. */
export function readSort(text: string): Sort {
  const [, field = "", direction] = /^\s*(.*?)(?:\s+(asc|desc))?\s*$/is.exec(text) ?? [];
  if (field !== "") return { field, descending: direction?.toLowerCase() === "desc" };
  throw usageError("--sort needs a column or a field", 'such as "created desc"');
}

export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Parses `--filter`: `name=ci-*`. */
export function readFilter(text: string): Filter {
  const [, field, operator, value] =
    /^\s*(\w[\w. -]*?)\s*(!=|!~|<=|>=|=|~|<|>)\s*(.*?)\s*$/s.exec(text) ?? [];
  if (field !== undefined && value !== undefined) {
    return { field, operator: operator as Operator, value };
  }
  throw usageError(
    `--filter must be FIELD=VALUE, not "${text}"`,
    "operators: = != (with * for anything), ~ !~ (contains), < <= > >=",
  );
}

/** The items that match all filters, ordered, and at most as many as the limit. Options are checked at once. */
export function arrange<T extends object>(
  items: Items<T>,
  columns: readonly Column<T>[],
  { sort, filter = [], limit, sortsWithinLimit = false }: Arrangement,
): AsyncIterable<T> {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw usageError("--limit must be a positive whole number");
  }
  const matching = filtered(items, columns, filter.map(readFilter));
  if (sort === undefined) return limited(matching, limit);
  const order = readSort(sort);
  return sortsWithinLimit
    ? sorted(limited(matching, limit), columns, order)
    : limited(sorted(matching, columns, order), limit);
}

async function* filtered<T extends object>(
  items: Items<T>,
  columns: readonly Column<T>[],
  filters: readonly Filter[],
): AsyncGenerator<T> {
  let tests: readonly ((item: T) => boolean)[] | undefined;
  for await (const item of items) {
    tests ??= filters.map(({ field, operator, value }) => {
      const read = readerOf<T>("--filter", field, columns, item);
      return (each: T) => matches(read(each), operator, value);
    });
    if (tests.every((test) => test(item))) yield item;
  }
}

async function* sorted<T extends object>(
  items: AsyncIterable<T>,
  columns: readonly Column<T>[],
  { field, descending }: Sort,
): AsyncGenerator<T> {
  const all = await Array.fromAsync<T>(items);
  const [first] = all;
  if (first === undefined) return;
  const read = readerOf<T>("--sort", field, columns, first);
  const keyed = all.map((item) => ({ item, key: comparable(read(item)) }));
  keyed.sort((one, another) => compare(one.key, another.key, descending));
  for (const { item } of keyed) yield item;
}

/** The first items; later pages are not requested. */
async function* limited<T>(
  items: AsyncIterable<T>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<T> {
  let left = limit;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left <= 0) return;
  }
}
