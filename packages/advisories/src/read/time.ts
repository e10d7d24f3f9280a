import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Go's zero time, which means that no time was set. */
const ZERO_TIME = /^0001-/;

/** The range of google.protobuf.Timestamp: the years 1 to 9999. */
const EARLIEST_SECONDS = -62_135_596_800;
const LATEST_SECONDS = 253_402_300_799;

/**
 * Parses an RFC 3339 time; undefined if it is invalid.
 *
 * @example parseTime("2026-01-31T12:00:00+01:00")
 */
export function parseTime(text: string): Timestamp | undefined {
  const found = RFC3339.exec(text);
  if (found === null || isZeroTime(text)) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    ...[number, number, number, number, number, number],
  ];
  const [, , , , , , , fraction = "", sign, offsetHours = 0, offsetMinutes = 0] = found;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  // A leap second counts as the second after.
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  if (seconds < EARLIEST_SECONDS || seconds > LATEST_SECONDS) return undefined;
  const nanos = Number(fraction.slice(0, 9).padEnd(9, "0"));
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

/**
 * Whether a time is Go's zero time: generators write it for an unset time.
 *
 * @example isZeroTime("0001-01-01T00:00:00Z") // true
 */
export function isZeroTime(text: string): boolean {
  return ZERO_TIME.test(text);
}

/** A key by which times can be compared for equality. */
export function timeKey(time: Timestamp | undefined): string {
  return time === undefined ? "" : `${time.seconds}.${time.nanos}`;
}
