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

/** Parses `order_by`, such as `name desc`. */
export function parseOrder(text: string, fallback: Order, allowed: readonly string[]): Order {
  const words = text.split(" ").filter((word) => word !== "");
  if (words.length === 0) return fallback;
  const [key, direction = "asc", ...rest] = words as [string, ...string[]];
  const name = ALIASES.get(key) ?? key;
  const column = allowed.includes(name) ? COLUMNS[name] : undefined;
  if (column === undefined || rest.length > 0 || (direction !== "asc" && direction !== "desc")) {
    throw invalidArgument({
      field: "orderBy",
      description: `orderBy must be one of ${allowed.join(", ")}, optionally followed by " desc"`,
    });
  }
  return { column, descending: direction === "desc" };
}
