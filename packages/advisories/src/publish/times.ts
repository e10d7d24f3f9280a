import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Advisory } from "@wharf/contract/messages";
import { isPublic, timeOf } from "./assessment.ts";

/** From when to when something was written about. */
export interface Times {
  readonly first: number;
  readonly last: number;
}

/**
 * When advisories were first published and last changed. Deleted ones count, so that the second time
 * moves when one goes. Never a clock's time: the same data always gives the same bytes.
 *
 * @example timesOf([advisory]) // { first: 1767225600000, last: 1770000000000 }
 */
export function timesOf(advisories: readonly Advisory[]): Times {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { createTime, updateTime, events } of advisories) {
    const happened = events.filter(isPublic).map(timeOf);
    const created = createTime === undefined ? Math.min(...happened) : timestampMs(createTime);
    const updated = updateTime === undefined ? Math.max(...happened) : timestampMs(updateTime);
    first = Math.min(first, created);
    last = Math.max(last, updated, created);
  }
  return Number.isFinite(first) ? { first, last: Math.max(first, last) } : { first: 0, last: 0 };
}

/**
 * A time as all these formats write it.
 *
 * @example rfc3339(0) // "1970-01-01T00:00:00.000Z"
 */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
