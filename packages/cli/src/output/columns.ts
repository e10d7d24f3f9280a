/** What is printed of a thing, and in which column. */
export interface Column<T> {
  /** In upper case, as tables show it; `one` shows it as it is written in a sentence. */
  readonly header: string;
  readonly value: (item: T) => unknown;
  /** Shown by `-o wide` and `csv`, and of single things. */
  readonly wide?: boolean;
}

/** A value as text: what is absent is empty, times are in UTC to the second, lists have commas. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value instanceof Date) return timeText(value.getTime());
  if (isTimestamp(value)) return timeOf(value);
  return typeof value === "object" ? toJson(value) : String(value);
}

/** JSON where large numbers are texts, as the API has them. */
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

/** A time in milliseconds since 1970, to the second: nobody reads further. */
export function timeText(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
