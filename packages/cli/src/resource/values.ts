import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { parseDuration } from "../command/values.ts";
import { usageError } from "../errors.ts";
import { isObject } from "../is-object.ts";

/** Values of options, as requests take them. */

type DefinedFields<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Drops undefined fields: the API treats a field that is present as set. */
export function definedFields<T extends object>(values: T): DefinedFields<T> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as DefinedFields<T>;
}

/** A list as a field of an update: an empty one is unset. */
export function nonEmptyList(list: readonly string[]): string[] | undefined {
  return list.length > 0 ? [...list] : undefined;
}

/** Parses `--claim name=value`; values may contain `=`. */
export function readPairs(source: string, texts: readonly string[]): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at < 1) throw usageError(`${source} must be NAME=VALUE, not "${text}"`);
    const name = text.slice(0, at);
    if (pairs.has(name)) throw usageError(`${source}: duplicate name ${name}`);
    pairs.set(name, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** A time in the future: a date, an RFC 3339 time, or a duration from now. */
export function readFutureTime(source: string, text: string): Timestamp {
  return timestampFromMs(readTime(source, text, 1));
}

/** A time in the past; a duration counts back from now. */
export function readPastTime(source: string, text: string): Timestamp {
  return timestampFromMs(readTime(source, text, -1));
}

function readTime(source: string, text: string, direction: 1 | -1): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return Date.now() + direction * seconds * 1000;
  const ms = /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw usageError(
    `${source} must be a time or a duration, not "${text}"`,
    "such as 2027-01-31, 2027-01-31T12:00:00Z or 720h",
  );
}

/** Whether a time has passed; a missing one never has. */
export function isPast(time: Timestamp | undefined): boolean {
  return time !== undefined && timestampMs(time) <= Date.now();
}

/** A google.protobuf.Duration. */
export function durationOf(seconds: number): { seconds: bigint } {
  return { seconds: BigInt(seconds) };
}

/** Parses YAML, and so JSON. */
export async function readDocument(source: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    throw usageError(`${source} is neither YAML nor JSON: ${(error as Error).message}`);
  }
}

/** As `readDocument`, for a document that must be an object. */
export async function readObject(source: string, text: string): Promise<Record<string, unknown>> {
  const value = await readDocument(source, text);
  if (isObject(value)) return value;
  throw usageError(`${source} must be an object with fields, such as name: ci`);
}
