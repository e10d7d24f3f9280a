import { rootOf } from "@wharf/contract";
import type { Dialect, Value } from "../db/connection.ts";
import type { Order, PageQuery, Range } from "./page.ts";
import type { Bound, Filter } from "./resource-table.ts";
import type { TableShape } from "./table-shape.ts";

/** A piece of a statement, with its parameters. */
export interface Sql {
  readonly text: string;
  readonly params: readonly Value[];
  /** Set where all that it says is which uids are meant. */
  readonly uids?: UidBounds;
}

/** Between which uids rows are. */
interface UidBounds {
  readonly from?: UidBound;
  readonly to?: UidBound;
}

interface UidBound {
  readonly uid: string;
  readonly inclusive: boolean;
}

/**
 * The conditions of lists, each written so that SQLite, which keeps no statistics here, comes by the
 * rows through the index that was meant: columns that must not lead it elsewhere are hidden from it.
 * PostgreSQL chooses by itself.
 */
export class Conditions {
  readonly #dialect: Dialect;
  readonly #shape: TableShape;

  constructor(dialect: Dialect, shape: TableShape) {
    this.#dialect = dialect;
    this.#shape = shape;
  }

  /** Names a column in a way that keeps SQLite from choosing its index. */
  hidden(column: string): string {
    return this.#dialect.name === "sqlite" ? `+${column}` : column;
  }

  /** The rows of a range, through the index that has them in the order of a column. */
  inOrderOf(range: Range, orderedBy: Order["column"]): Sql[] {
    if ("everything" in range) return this.#part(range);
    if ("uids" in range) return this.sorted(range);
    const byUid = orderedBy === "uid";
    if ("childrenOf" in range) {
      const { childrenOf } = range;
      if (this.hasChildrenInOrderOf(orderedBy) && !byUid) {
        return [equal("parent", childrenOf), ...this.#part(range)];
      }
      const among =
        childrenOf === ""
          ? []
          : byUid
            ? [subtree("uid", childrenOf, this.#shape.uidIsParent)]
            : [root(childrenOf)];
      return [...among, equal(this.hidden("parent"), childrenOf), ...this.#part(range)];
    }
    const { below } = range;
    // What goes by the uid of its place is below that place.
    const self = range.self || this.#shape.uidIsParent;
    if (byUid) return [subtree("uid", below, self), ...this.#part(range)];
    if (below.includes("/"))
      return [root(below), subtree(this.hidden("uid"), below, self), ...this.#part(range)];
    if (self || !this.#shape.isPlace) return [root(below), ...this.#part(range)];
    // The root itself is left out by its number, which every index holds, so that the index alone answers.
    const itself = `id <> (SELECT id FROM ${this.#shape.name} WHERE uid = ?)`;
    return [root(below), { text: itself, params: [below] }];
  }

  /** Tells SQLite which index has one part of a range in the order of a time. */
  namedIndex(range: Range, column: Order["column"]): string {
    if (this.#dialect.name !== "sqlite" || range.parts === undefined) return "";
    const isOfChildren = "childrenOf" in range && this.hasChildrenInOrderOf(column);
    const begin = isOfChildren ? "parent_" : "everything" in range ? "" : "root_";
    return ` INDEXED BY ${this.#shape.name}_by_${begin}part_${column}`;
  }

  /** Whether an index has the children of one place in the order of a column. */
  hasChildrenInOrderOf(column: Order["column"]): boolean {
    if (column === "name") return this.#shape.orderedByName ?? true;
    // What is in parts mostly has no places below its own.
    if (column === "uid") return this.#shape.parts !== undefined && !this.#shape.isInGroups;
    return this.#shape.childOrders?.includes(column) ?? false;
  }

  /** The rows of a range and no others, in no order. */
  sorted(range: Range): Sql[] {
    if ("everything" in range) return this.#part(range);
    if ("uids" in range) {
      const marks = range.uids.map(() => "?").join(", ");
      const named = { text: `uid IN (${marks})`, params: range.uids };
      return [named, ...this.#part(range, this.hidden("part"))];
    }
    if ("childrenOf" in range) return [equal("parent", range.childrenOf), ...this.#part(range)];
    const self = range.self || this.#shape.uidIsParent;
    return [subtree("uid", range.below, self), ...this.#part(range)];
  }

  /** The rows of a range that have a value, through the index of the value. */
  having(range: Range, filters: readonly Filter[]): Sql[] {
    if (this.#shape.parts === undefined || "uids" in range) return this.sorted(range);
    if (filters.some(({ column }) => column === "name")) return this.inOrderOf(range, "name");
    return this.within(range);
  }

  /** Whether rows that are come by otherwise are in a range. */
  within(range: Range): Sql[] {
    if ("uids" in range) return this.sorted(range);
    const part = this.#part(range, this.hidden("part"));
    if ("everything" in range) return part;
    if ("childrenOf" in range) return [equal(this.hidden("parent"), range.childrenOf), ...part];
    const self = range.self || this.#shape.uidIsParent;
    return [subtree(this.hidden("uid"), range.below, self), ...part];
  }

  #part({ parts }: Range, column = "part"): Sql[] {
    if (parts === undefined) return [];
    const [only, ...others] = parts;
    if (only !== undefined && others.length === 0) return [equal(column, only)];
    return [{ text: `${column} IN (${parts.map(() => "?").join(", ")})`, params: parts }];
  }
}

/** "/" sorts just before "0", and no uid has anything between its own end and its children's "/". */
function subtree(column: string, below: string, self: boolean): Sql {
  const from = { uid: self ? below : `${below}/`, inclusive: true };
  const bounds = { from, to: { uid: `${below}0`, inclusive: false } };
  const { text, params } = between(bounds, column);
  // A hidden column leads SQLite nowhere, so there is nothing to merge.
  return column === "uid" ? { text, params, uids: bounds } : { text, params };
}

function between(uids: UidBounds, column = "uid"): Sql {
  const { from, to } = uids;
  const ends = [
    ...(from ? [`${column} ${from.inclusive ? ">=" : ">"} ?`] : []),
    ...(to ? [`${column} ${to.inclusive ? "<=" : "<"} ?`] : []),
  ];
  const params = [from, to].flatMap((end) => (end ? [end.uid] : []));
  return { text: ends.join(" AND "), params, uids };
}

/**
 * One condition for all that say which uids are meant. SQLite goes by the first limit of each end that
 * it is given and only looks at rows beyond the others, so a page deep in a list would cost as much as
 * all pages before it.
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

/**
 * What is asked of a column itself.
 *
 * @example asked({ column: "updated", after: 1_767_225_600_000 }) // updated > ?
 */
export function asked(condition: Filter | Bound, column: string = condition.column): Sql {
  if ("value" in condition) return equal(column, condition.value);
  const { after, until } = condition;
  if (until === undefined) return { text: `${column} > ?`, params: [after] };
  return { text: `${column} > ? AND ${column} <= ?`, params: [after, until] };
}

/** The bound that leaves the least; of two at one uid, the one without it. */
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

/** The rows from where a page begins. */
export function startingAt({ start, order }: PageQuery): Sql[] {
  if (start === undefined) return [];
  if (order.column === "uid") {
    const bound = { uid: String(start.key), inclusive: start.inclusive };
    return [between(order.descending ? { to: bound } : { from: bound })];
  }
  const than = `${order.descending ? "<" : ">"}${start.inclusive ? "=" : ""}`;
  return [{ text: `(${order.column}, id) ${than} (?, ?)`, params: [start.key, start.id] }];
}

/** All of them together. */
export function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return { text: "", params: [] };
  const all = merged(conditions);
  return {
    text: ` WHERE ${all.map((condition) => condition.text).join(" AND ")}`,
    params: all.flatMap((condition) => condition.params),
  };
}
