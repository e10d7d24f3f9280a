import type { StyleName } from "../terminal/terminal.ts";
import { schemaOf } from "./schemas.ts";

/** A column of a table, or a field of a single item. */
export interface Column<T> {
  /** Printed in upper case by tables, and in sentence case for a single item. */
  readonly header: string;
  readonly value: (item: T) => unknown;
  /** Printed instead of the value by the default table: a name for a UID, a size for people. */
  readonly short?: (item: T) => unknown;
  /** Only printed by `-o wide` and `csv`, and for a single item. */
  readonly wide?: boolean;
  /** Never truncated, because people copy it: an ID. */
  readonly whole?: boolean;
  /** The color of a table's cell at a terminal. */
  readonly style?: (item: T) => StyleName | undefined;
}

/** The uid of a resource: in `-o wide`. */
export const UID: Column<{ readonly uid: string }> = {
  header: "UID",
  value: ({ uid }) => uid,
  wide: true,
  whole: true,
};

/** A value as text: unset values are empty, times are in UTC to the second, lists have commas. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value instanceof Date) return timeText(value.getTime());
  if (isTimestamp(value)) return timeOf(value);
  return typeof value === "object" ? toJson(value) : String(value);
}

/** JSON with 64-bit numbers as strings, as in the API. */
export function toJson(value: unknown, indent?: number): string {
  const plain = (_key: string, each: unknown) => (typeof each === "bigint" ? String(each) : each);
  return JSON.stringify(value, plain, indent) ?? "null";
}

interface Timestamp {
  readonly $typeName: "google.protobuf.Timestamp";
  readonly seconds: bigint;
  readonly nanos: number;
}

function isTimestamp(value: unknown): value is Timestamp {
  return (value as { $typeName?: string }).$typeName === "google.protobuf.Timestamp";
}

function timeOf({ seconds }: Timestamp): string {
  return timeText(Number(seconds) * 1000);
}

/** A time in milliseconds since 1970; undefined for other values. */
export function millisecondsOf(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (!isObject(value) || !isTimestamp(value)) return undefined;
  return Number(value.seconds) * 1000 + value.nanos / 1e6;
}

/** A time in milliseconds since 1970 as text, to the second. */
export function timeText(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

const AGES: readonly (readonly [unit: string, ms: number])[] = [
  ["y", 365 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** A value for people: times relative to now, others as text. */
export function shownText(value: unknown, now: number): string {
  const time = millisecondsOf(value);
  if (time === undefined) return textOf(value);
  const ms = time - now;
  const [unit, size] = AGES.find(([, one]) => Math.abs(ms) >= one) ?? ["s", 1_000];
  const age = `${Math.floor(Math.abs(ms) / size)}${unit}`;
  return ms > 0 ? `in ${age}` : `${age} ago`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export type MessageWriter = (message: { readonly $typeName: string }) => unknown;

/** Converts messages anywhere within a value to the JSON of the API. */
export function toPlain(value: unknown, write: MessageWriter): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((each) => toPlain(each, write));
  if (isMessage(value)) return write(value);
  const entries = Object.entries(value).map(([name, each]) => [name, toPlain(each, write)]);
  return Object.fromEntries(entries);
}

export async function messageWriter(): Promise<MessageWriter> {
  const { toJson } = await import("@bufbuild/protobuf");
  return (message) =>
    toJson(schemaOf(message.$typeName), message as never, { alwaysEmitImplicit: true });
}

/** The names of an item's fields, also of those that are unset. */
export function fieldNames(item: object): string[] {
  if (!isMessage(item)) return Object.keys(item);
  return schemaOf(item.$typeName).fields.map(({ localName }) => localName);
}

function isMessage(value: object): value is { $typeName: string } {
  return "$typeName" in value;
}
