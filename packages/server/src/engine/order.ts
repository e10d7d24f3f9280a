import { invalidArgument } from "../errors.ts";
import type { Order } from "../store/page.ts";

/** What callers may write, and the column that it stands for. */
const SORT_KEYS: Readonly<Record<string, Order["column"]>> = {
  uid: "uid",
  name: "name",
  created_at: "created",
  create_time: "created",
  createTime: "created",
  updated_at: "updated",
  update_time: "updated",
  updateTime: "updated",
};

/**
 * Reads an order such as `name desc`.
 *
 * @example parseOrder("created_at desc", { column: "uid", descending: false }, ["uid", "created_at"])
 */
export function parseOrder(text: string, fallback: Order, allowed: readonly string[]): Order {
  const words = text.split(" ").filter((word) => word !== "");
  if (words.length === 0) return fallback;
  const [key, direction = "asc", ...rest] = words as [string, ...string[]];
  const column = Object.hasOwn(SORT_KEYS, key) ? SORT_KEYS[key] : undefined;
  const known = column !== undefined && allowed.some((name) => SORT_KEYS[name] === column);
  if (!known || rest.length > 0 || (direction !== "asc" && direction !== "desc")) {
    throw invalidArgument({
      field: "orderBy",
      description: `orderBy must be one of ${allowed.join(", ")}, optionally followed by " desc"`,
    });
  }
  return { column, descending: direction === "desc" };
}
