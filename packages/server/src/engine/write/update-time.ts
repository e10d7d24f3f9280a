import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Reader } from "../../store/db/connection.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";

/** The times of a stored resource. */
interface Times {
  readonly createTime?: Timestamp | undefined;
  readonly updateTime?: Timestamp | undefined;
}

/**
 * The update time of a change: now, but never earlier than the times that the resource has. Clocks are set back, and
 * those of replicas disagree; clients compare these times.
 */
export function nextUpdateTime({ createTime, updateTime }: Times, now: number): Timestamp {
  const times = [createTime, updateTime].map((time) =>
    time === undefined ? 0 : timestampMs(time),
  );
  return timestampFromMs(Math.max(now, ...times));
}

/**
 * The time of a write in a table whose lists are read incrementally, with `updated_since`: now, but later than all
 * times in the table. So readers that continue after the latest time they have seen miss nothing, though the clock was
 * set back or that of another replica is ahead.
 *
 * A clock that was wrong by a year moves these times a year ahead, until the clock has caught up. Limiting that would
 * hide changes from readers that have seen the later times.
 */
export async function timeAfterAll(
  tx: Reader,
  table: Pick<ResourceTable, "latestUpdate">,
  now: number,
): Promise<number> {
  return Math.max(now, (await table.latestUpdate(tx)) + 1);
}
