/** Query of a list on a resource table: ranges, conditions and order. */
import type { TermFilter, TextFilter } from "./terms/terms.ts";

/** A region of the tree: everything, a subtree, the children of one parent, or named rows. */
export type TreeRange =
  | { readonly everything: true }
  | { readonly below: string; readonly self: boolean }
  | { readonly childrenOf: string }
  | { readonly uids: readonly string[] };

/**
 * The rows of a table in a region of the tree. Where the table is partitioned: those of one partition,
 * or, of named rows, of several.
 */
export type Range = TreeRange & { readonly partitions?: readonly number[] };

/** A condition that a column has a value. */
export interface Filter {
  readonly column: string;
  readonly value: string | number;
}

/** A condition that a time is later than `after`, and not later than `until`. */
export interface Bound {
  readonly column: "created" | "updated";
  readonly after: number;
  readonly until?: number;
}

/** A condition that the name begins with a text. */
export interface Prefix {
  readonly column: "name";
  readonly prefix: string;
}

/** A condition on a column of the table. */
export type ColumnCondition = Filter | Bound | Prefix;

export type Condition = ColumnCondition | TermFilter | TextFilter;

export interface Order {
  readonly column: "uid" | "name" | "created" | "updated";
  readonly descending: boolean;
}

/** A key of an order: a column, or the search terms of a kind. */
export type OrderKey = Order | { readonly term: string; readonly descending: boolean };

/** The position of a row in an order: the value ordered by, and the row id among equal values. */
export interface Position {
  readonly key: string | number;
  readonly id: number;
  /** In an order of several keys: the values of the secondary ones. */
  readonly secondary?: readonly (string | number)[];
}

/** Start of a page: after this row, or with it. */
export type Start = Position & { readonly inclusive: boolean };

/** A page of the rows of one range. */
export interface PageQuery {
  readonly range: Range;
  readonly filters: readonly Condition[];
  /** The order that an index has. */
  readonly order: Order;
  /** Keys by which rows with equal values of that order are sorted; all rows, where it is by uid. */
  readonly secondary?: readonly OrderKey[];
  readonly start?: Start | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** A page of the rows of several ranges, which do not overlap. */
export interface ListQuery extends Omit<PageQuery, "range"> {
  readonly ranges: readonly Range[];
  /** More subtrees than this are read together. */
  readonly manyRanges: number;
}
