import { rootOf } from "@wharf/contract";
import type { Dialect, Value } from "../db/connection.ts";
import { afterPrefix } from "./name-prefix.ts";
import type { ColumnCondition, Filter, Order, Range } from "./query.ts";
import type { TableShape } from "./table-shape.ts";

/** A fragment of a statement, with its parameters. */
export interface Sql {
  readonly text: string;
  readonly params: readonly Value[];
  /** Set where the fragment only bounds the uid. */
  readonly uids?: UidBounds;
}

/** A range of uids. */
interface UidBounds {
  readonly from?: UidBound;
  readonly to?: UidBound;
}

interface UidBound {
  readonly uid: string;
  readonly inclusive: boolean;
}

/**
 * The conditions of lists, written so that SQLite, which keeps no statistics here, uses the intended
 * index: the other columns are hidden from its planner. PostgreSQL plans by itself.
 */
export class Conditions {
  readonly #dialect: Dialect;
  readonly #shape: TableShape;

  constructor(dialect: Dialect, shape: TableShape) {
    this.#dialect = dialect;
    this.#shape = shape;
  }

  /** A column in a form that keeps SQLite from using its index. */
  hidden(column: string): string {
    return this.#dialect.name === "sqlite" ? `+${column}` : column;
  }

  /** The rows of a range, by the index that has them in the order of a column. */
  inOrderOf(range: Range, orderedBy: Order["column"]): Sql[] {
    if ("everything" in range) return this.#partition(range);
    if ("uids" in range) return this.inAnyOrder(range);
    const byUid = orderedBy === "uid";
    if ("childrenOf" in range) {
      const { childrenOf } = range;
      if (this.hasChildrenInOrderOf(orderedBy) && !byUid) {
        return [equal("parent", childrenOf), ...this.#partition(range)];
      }
      return [...this.#children(childrenOf, byUid), ...this.#partition(range)];
    }
    const { below } = range;
    // A row with the uid of its parent is below that parent.
    const self = range.self || this.#shape.uidIsParent;
    if (byUid) return [subtree("uid", below, self), ...this.#partition(range)];
    if (below.includes("/"))
      return [root(below), subtree(this.hidden("uid"), below, self), ...this.#partition(range)];
    if (self || !this.#shape.isScope) return [root(below), ...this.#partition(range)];
    return [root(below), { text: "uid <> ?", params: [below] }];
  }

  /** Tells SQLite which index has one partition of a range in the order of a time. */
  indexHint(range: Range, column: Order["column"]): string {
    if (this.#dialect.name !== "sqlite" || range.partitions === undefined) return "";
    const isOfChildren = "childrenOf" in range && this.hasChildrenInOrderOf(column);
    const begin = isOfChildren ? "parent_" : "everything" in range ? "" : "root_";
    return ` INDEXED BY ${this.#shape.name}_by_${begin}part_${column}`;
  }

  /** Whether an index has the children of a parent in the order of a column. */
  hasChildrenInOrderOf(column: Order["column"]): boolean {
    if (column === "name") return this.#shape.orderedByName ?? true;
    // In most partitioned tables the parents of rows have no children that are parents, too.
    if (column === "uid") return this.#shape.partitions !== undefined && !this.#shape.isInGroups;
    return this.#shape.childOrders?.includes(column) ?? false;
  }

  /** Whether an index has the rows of a range in the order of a column. */
  hasInOrderOf(range: Range, column: Order["column"]): boolean {
    if ("everything" in range) return true;
    if ("uids" in range) return false;
    if ("childrenOf" in range) return this.hasChildrenInOrderOf(column);
    return column === "uid" || !range.below.includes("/");
  }

  /** The rows of a range, in no particular order. */
  inAnyOrder(range: Range): Sql[] {
    if ("everything" in range) return this.#partition(range);
    if ("uids" in range) {
      const marks = range.uids.map(() => "?").join(", ");
      const named = { text: `uid IN (${marks})`, params: range.uids };
      return [named, ...this.#partition(range, this.hidden("part"))];
    }
    if ("childrenOf" in range)
      return [equal("parent", range.childrenOf), ...this.#partition(range)];
    const self = range.self || this.#shape.uidIsParent;
    return [subtree("uid", range.below, self), ...this.#partition(range)];
  }

  /** The rows of a range that have a value, by the index of the value. */
  byValue(range: Range, filters: readonly Filter[]): Sql[] {
    if (this.#shape.partitions === undefined || "uids" in range) return this.inAnyOrder(range);
    if (filters.some(({ column }) => column === "name")) return this.inOrderOf(range, "name");
    return this.test(range);
  }

  /** Tests whether rows that were found by another index are in a range. */
  test(range: Range): Sql[] {
    if ("uids" in range) return this.inAnyOrder(range);
    const partition = this.#partition(range, this.hidden("part"));
    if ("everything" in range) return partition;
    if ("childrenOf" in range)
      return [equal(this.hidden("parent"), range.childrenOf), ...partition];
    const self = range.self || this.#shape.uidIsParent;
    return [subtree(this.hidden("uid"), range.below, self), ...partition];
  }

  /** The children of a parent among the rows around them, in the order of uids or of another column. */
  #children(parent: string, byUid: boolean): Sql[] {
    const { uidIsParent } = this.#shape;
    const around = byUid ? subtree("uid", parent, uidIsParent) : root(parent);
    const among = parent === "" ? [] : [around];
    if (this.#dialect.name !== "sqlite" || uidIsParent)
      return [...among, equal(this.hidden("parent"), parent)];
    // By the uid, which every order has, so that no row is fetched: no slash follows the parent's.
    const isBelow = parent === "" || byUid ? [] : [subtree(this.hidden("uid"), parent, false)];
    const start = parent === "" ? 1 : parent.length + 2;
    return [...among, ...isBelow, { text: "instr(substr(uid, ?), '/') = 0", params: [start] }];
  }

  #partition({ partitions }: Range, column = "part"): Sql[] {
    if (partitions === undefined) return [];
    const [only, ...others] = partitions;
    if (only !== undefined && others.length === 0) return [equal(column, only)];
    return [{ text: `${column} IN (${partitions.map(() => "?").join(", ")})`, params: partitions }];
  }
}

/** "/" sorts just before "0", so the descendants of a uid are exactly the uids between the two. */
function subtree(column: string, below: string, self: boolean): Sql {
  const from = { uid: self ? below : `${below}/`, inclusive: true };
  const bounds = { from, to: { uid: `${below}0`, inclusive: false } };
  const { text, params } = between(bounds, column);
  // A hidden column uses no index, so there is nothing to merge.
  return column === "uid" ? { text, params, uids: bounds } : { text, params };
}

/** Bounds the uid. */
export function between(uids: UidBounds, column = "uid"): Sql {
  const { from, to } = uids;
  const first = from && `${column} ${from.inclusive ? ">=" : ">"} ?`;
  const last = to && `${column} ${to.inclusive ? "<=" : "<"} ?`;
  if (from === undefined) return { text: last ?? "", params: to ? [to.uid] : [], uids };
  if (to === undefined) return { text: first ?? "", params: [from.uid], uids };
  return { text: `${first} AND ${last}`, params: [from.uid, to.uid], uids };
}

/**
 * Merges all bounds of the uid into one. SQLite seeks by the first bound of each end and tests the
 * others on each row, so a page deep in a list would cost as much as all pages before it.
 */
function merged(conditions: readonly Sql[]): readonly Sql[] {
  const bounds = conditions.flatMap(({ uids }) => uids ?? []);
  if (bounds.length < 2) return conditions;
  const from = tightest(
    bounds.map((one) => one.from),
    (one, other) => one > other,
  );
  const to = tightest(
    bounds.map((one) => one.to),
    (one, other) => one < other,
  );
  const others = conditions.filter(({ uids }) => uids === undefined);
  return [between({ ...(from && { from }), ...(to && { to }) }), ...others];
}

function root(uid: string): Sql {
  return equal("root", rootOf(uid));
}

function equal(column: string, value: Value): Sql {
  return { text: `${column} = ?`, params: [value] };
}

/** The condition on a column. Its ends can be hidden from the planner one by one. */
export function columnTest(
  condition: ColumnCondition,
  from: string = condition.column,
  to: string = from,
): Sql {
  if ("value" in condition) return equal(from, condition.value);
  if ("prefix" in condition) {
    const end = afterPrefix(condition.prefix);
    if (end === undefined) return { text: `${from} >= ?`, params: [condition.prefix] };
    return { text: `${from} >= ? AND ${to} < ?`, params: [condition.prefix, end] };
  }
  const { after, until } = condition;
  if (until === undefined) return { text: `${from} > ?`, params: [after] };
  return { text: `${from} > ? AND ${to} <= ?`, params: [after, until] };
}

/** The bound that leaves the fewest uids; of two at one uid, the exclusive one. */
function tightest(
  bounds: readonly (UidBound | undefined)[],
  isTighter: (one: string, other: string) => boolean,
): UidBound | undefined {
  let best: UidBound | undefined;
  for (const bound of bounds) {
    if (bound === undefined) continue;
    const same = bound.uid === best?.uid && !bound.inclusive;
    if (best === undefined || same || isTighter(bound.uid, best.uid)) best = bound;
  }
  return best;
}

/** The WHERE clause of all conditions. */
export function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return { text: "", params: [] };
  const all = merged(conditions);
  return {
    text: ` WHERE ${all.map((condition) => condition.text).join(" AND ")}`,
    params: all.flatMap((condition) => condition.params),
  };
}

/** The sum of expressions. */
export function sum(all: readonly Sql[]): Sql {
  return {
    text: all.map(({ text }) => text).join(" + ") || "0",
    params: all.flatMap(({ params }) => params),
  };
}
