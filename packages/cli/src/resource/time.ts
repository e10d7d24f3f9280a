import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { parseDuration } from "../command/duration.ts";
import { usageError } from "../errors.ts";

/** A time to come: a length of time from now, a day, or a time as the API writes them. */
export function timeAhead(source: string, text: string): Timestamp {
  return timestampFromMs(readTime(source, text, 1));
}

/** The same for a time that has been; a length of time counts back from now. */
export function timeAgo(source: string, text: string): Timestamp {
  return timestampFromMs(readTime(source, text, -1));
}

function readTime(source: string, text: string, direction: 1 | -1): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return Date.now() + direction * seconds * 1000;
  const ms = /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw usageError(
    `${source} must be a time or a length of time, not "${text}"`,
    "such as 2027-01-31, 2027-01-31T12:00:00Z or 720h",
  );
}

/** Whether a time has come; one that is not there never does. */
export function isPast(time: Timestamp | undefined): boolean {
  return time !== undefined && timestampMs(time) <= Date.now();
}

/** A length of time as messages have it. */
export function durationOf(seconds: number): { seconds: bigint } {
  return { seconds: BigInt(seconds) };
}
