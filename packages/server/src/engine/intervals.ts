import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../lib/errors.ts";

const DEFAULT_INTERVALS = 24;
const MAX_INTERVALS = 100;

/** A time that is divided into equal intervals, for counts over time. Milliseconds since 1970. */
export interface Intervals {
  readonly since: number;
  readonly until: number;
  readonly count: number;
}

/** The number of intervals that a request asks for. */
export function readIntervalCount(requested: number): number {
  if (requested >= 0 && requested <= MAX_INTERVALS)
    return requested === 0 ? DEFAULT_INTERVALS : requested;
  const description = `intervals must be 1 to ${MAX_INTERVALS}`;
  throw invalidArgument({ field: "intervals", description });
}

/** When an interval begins. */
export function beginOf({ since, until, count }: Intervals, at: number): Timestamp {
  return timestampFromMs(Math.floor(since + (at * (until - since)) / count));
}
