import { invalidArgument } from "../../lib/errors.ts";

export interface NamedOrder<C extends string> {
  readonly column: C;
  readonly descending: boolean;
}

/** The columns of `order_by` by their names in requests, each with its usual direction. */
export type OrderColumns<C extends string> = Readonly<Record<string, NamedOrder<C>>>;

/** Reads `order_by`: a name, and perhaps a direction. The first of the columns is the default. */
export function readOrder<C extends string>(text: string, columns: OrderColumns<C>): NamedOrder<C> {
  const [first] = Object.values(columns);
  if (text === "") return first as NamedOrder<C>;
  const [name = "", direction, ...rest] = text.trim().split(/\s+/);
  const order = Object.hasOwn(columns, name) ? columns[name] : undefined;
  const isDirection = direction === undefined || /^(asc|desc)$/i.test(direction);
  if (order === undefined || !isDirection || rest.length > 0) {
    const names = Object.keys(columns).join(", ");
    const description = `orderBy must be one of ${names}, and asc or desc`;
    throw invalidArgument({ field: "orderBy", description });
  }
  if (direction === undefined) return order;
  return { ...order, descending: direction.toLowerCase() === "desc" };
}
