/** The values of items that lists are filtered and sorted by. */
import { didYouMean } from "../command/suggest.ts";
import { parseDuration } from "../command/values.ts";
import { usageError } from "../errors.ts";
import { type Column, fieldNames, millisecondsOf, textOf } from "./columns.ts";

export type Operator = "=" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">=";

/** `Last seen`, `last-seen`, `lastSeen` and `last_seen` are the same. */
export function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/** Reads a column, or a field of the API such as `role.name`. An item shows which fields there are. */
export function readerOf<T extends object>(
  source: string,
  name: string,
  columns: readonly Column<T>[],
  item: T,
): (item: T) => unknown {
  const column = columns.find(({ header }) => normalized(header) === normalized(name));
  if (column !== undefined) return column.value;
  const path = name.split(".").map(normalized);
  const fields = fieldNames(item);
  if (fields.some((field) => normalized(field) === path[0])) {
    return (each) => path.reduce<unknown>(fieldOf, each);
  }
  const shown = columns.map(({ header }) => header.toLowerCase().replaceAll(" ", "-"));
  throw usageError(
    `${source}: there is no column or field "${name}"`,
    didYouMean(name, [...shown, ...fields]) ?? `columns: ${shown.join(", ")}`,
  );
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const key = Object.keys(value).find((own) => normalized(own) === name);
  return key === undefined ? undefined : (value as Record<string, unknown>)[key];
}

/** A sort key; undefined for values that are unset. */
export type Key = number | string | undefined;

export function comparable(value: unknown): Key {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const time = millisecondsOf(value);
  return time ?? (textOf(value) || undefined);
}

/** Numbers by value, texts with the numbers in them: `v2` before `v10`. Unset values are last in any direction. */
export function compare(one: Key, another: Key, descending = false): number {
  if (one === undefined || another === undefined) {
    return Number(one === undefined) - Number(another === undefined);
  }
  const order =
    typeof one === "number" && typeof another === "number"
      ? one - another
      : collator().compare(String(one), String(another));
  return descending ? -order : order;
}

let numeric: Intl.Collator | undefined;

/** Created on demand: it takes time. */
function collator(): Intl.Collator {
  numeric ??= new Intl.Collator("en", { numeric: true });
  return numeric;
}

/** Whether a value, or one of a list, is as a filter wants it. */
export function matches(value: unknown, operator: Operator, operand: string): boolean {
  const each = Array.isArray(value) ? value : [value];
  switch (operator) {
    case "=":
      return each.length === 0 ? operand === "" : each.some((one) => equals(one, operand));
    case "~":
      return textOf(value).toLowerCase().includes(operand.toLowerCase());
    case "!=":
      return !matches(value, "=", operand);
    case "!~":
      return !matches(value, "~", operand);
    default:
      return each.some((one) => isOrdered(one, operator, operand));
  }
}

function equals(value: unknown, operand: string): boolean {
  const text = textOf(value);
  if (!operand.includes("*")) return text === operand;
  const parts = operand.split("*").map((part) => part.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

function isOrdered(value: unknown, operator: Operator, operand: string): boolean {
  const key = comparable(value);
  if (key === undefined) return false;
  const order = compare(key, boundOf(value, operand));
  if (order === 0) return operator.endsWith("=");
  return order < 0 === operator.startsWith("<");
}

/** The operand of a comparison: a time, as a date or a duration back from now; a number; or a text. */
function boundOf(value: unknown, operand: string): Key {
  if (millisecondsOf(value) !== undefined) {
    const seconds = parseDuration(operand);
    const time = seconds === undefined ? Date.parse(operand) : Date.now() - seconds * 1000;
    if (!Number.isNaN(time)) return time;
    throw usageError(
      `--filter: "${operand}" is neither a time nor a duration`,
      "such as 2027-01-31, 2027-01-31T12:00:00Z, or 30d for 30 days ago",
    );
  }
  if (typeof value !== "number" && typeof value !== "bigint") return operand;
  const number = Number(operand);
  if (operand !== "" && Number.isFinite(number)) return number;
  throw usageError(`--filter: "${operand}" is not a number`);
}
