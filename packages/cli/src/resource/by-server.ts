import { type Arrangement, readFilter, readSort } from "../output/arrange.ts";
import { normalized } from "../output/fields.ts";
import { type ByServer, SERVER_ORDERS } from "./options.ts";

/** Other names of columns that the server orders by: those of the API's fields. */
const ALIASES: Readonly<Record<string, string>> = {
  createtime: "created",
  createdat: "created",
  updatetime: "updated",
  updatedat: "updated",
};

/**
 * Divides the work of a list: what the request asks of the server, and what is left to do with its rows. Fields that
 * other options have set already are left.
 */
export function divide(
  { sort, filter = [], limit }: Arrangement,
  others: object,
  byServer: ByServer,
): { readonly requested: Readonly<Record<string, string>>; readonly left: Arrangement } {
  const requested = new Map<string, string>();
  const orderBy = sort === undefined ? undefined : serverOrder(sort, byServer);
  if (orderBy !== undefined) requested.set("orderBy", orderBy);
  const left = filter.filter((text) => {
    const { field, operator, value } = readFilter(text);
    const name = byServer.filter.find((each) => normalized(each) === normalized(field));
    const isFree = (own: string) =>
      !requested.has(own) && (others as Record<string, unknown>)[own] === undefined;
    if (name === undefined || operator !== "=") return true;
    if (/^[^*]+$/.test(value) && isFree(name)) {
      requested.set(name, value);
      return false;
    }
    // The server may find more than this: it need not distinguish cases.
    const [, prefix] = /^([^*]+)\*$/.exec(value) ?? [];
    const own = `${name}Prefix`;
    if (prefix !== undefined && own in others && isFree(own)) requested.set(own, prefix);
    return true;
  });
  return {
    requested: Object.fromEntries(requested),
    left: { sort: orderBy === undefined ? sort : undefined, filter: left, limit },
  };
}

function serverOrder(sort: string, byServer: ByServer): string | undefined {
  const { field, descending } = readSort(sort);
  const name = ALIASES[normalized(field)] ?? normalized(field);
  const column = byServer.sort.find((each) => each === name);
  if (column === undefined) return undefined;
  return `${SERVER_ORDERS[column]}${descending ? " desc" : ""}`;
}
