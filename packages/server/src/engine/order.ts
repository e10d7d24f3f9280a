import { invalidArgument } from "../lib/errors.ts";
import type { Order } from "../store/resources/query.ts";

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

/** An order of one key or several. */
export type Orders = readonly [first: Order, ...further: Order[]];

/** Parses `order_by`, such as `name desc` or `name, created_at desc`. Directions may be in upper case. */
export function parseOrder(text: string, fallback: Order, allowed: readonly string[]): Orders {
  if (text.trim() === "") return [fallback];
  const keys = text.split(",").map((key) => parseKey(key, allowed));
  return withoutRedundant(keys);
}

function parseKey(text: string, allowed: readonly string[]): Order {
  const words = text.split(" ").filter((word) => word !== "");
  const [key = "", given = "asc", ...rest] = words;
  const direction = given.toLowerCase();
  const name = ALIASES.get(key) ?? key;
  const column = allowed.includes(name) ? COLUMNS[name] : undefined;
  if (column === undefined || rest.length > 0 || (direction !== "asc" && direction !== "desc")) {
    throw invalidArgument({
      field: "orderBy",
      description: `orderBy must be one of ${allowed.join(", ")}, or several of them with commas, each optionally followed by " desc"`,
    });
  }
  return { column, descending: direction === "desc" };
}

/** A key that occurs twice decides nothing the second time, nor does any key after the unique uid. */
function withoutRedundant(keys: readonly Order[]): Orders {
  const [first, ...others] = keys as Orders;
  const further: Order[] = [];
  for (const one of others) {
    const before = [first, ...further];
    if (before.some(({ column }) => column === "uid" || column === one.column)) continue;
    further.push(one);
  }
  return [first, ...further];
}
