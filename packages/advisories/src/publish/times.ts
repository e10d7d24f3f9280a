import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Advisory } from "@wharf/contract/messages";
import { isPublic, timeOf } from "./assessment.ts";

/** The times of first publication and last change. */
export interface Times {
  readonly first: number;
  readonly last: number;
}

/**
 * The times of the first publication and the last change of advisories. The first publication is the earliest approved
 * event, or the creation of the advisory if that is earlier: imported advisories were published elsewhere before they
 * were stored. Deleted ones count, so that a deletion is a change. It does not use the clock: the same data always
 * gives the same bytes.
 *
 * @example timesOf([advisory]) // { first: 1767225600000, last: 1770000000000 }
 */
export function timesOf(advisories: readonly Advisory[]): Times {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { createTime, updateTime, events } of advisories) {
    const times = events.filter(isPublic).map(timeOf);
    const created = createTime === undefined ? [] : [timestampMs(createTime)];
    const updated = updateTime === undefined ? times : [timestampMs(updateTime)];
    first = Math.min(first, ...created, ...times);
    last = Math.max(last, ...updated, ...created);
  }
  return Number.isFinite(first) ? { first, last: Math.max(first, last) } : { first: 0, last: 0 };
}

/**
 * The RFC 3339 form of a time in milliseconds.
 *
 * @example rfc3339(0) // "1970-01-01T00:00:00.000Z"
 */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
