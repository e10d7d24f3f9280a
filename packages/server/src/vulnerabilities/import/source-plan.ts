import { timestampMs } from "@bufbuild/protobuf/wkt";
import { isInEffect, recordTime } from "@wharf/advisories/records";
import { type Advisory, ReviewState } from "@wharf/contract";
import type { StoredSource } from "../../store/tables/advisories/sources.ts";
import { encodeDescribed, modifyTimeOf, sourceInUse } from "../sources/definition.ts";
import type { GivenSource } from "./source-checks.ts";

/** A source to be stored with an advisory, which may not have a uid yet. */
export interface PlannedSource {
  /** The time of the event that the record comes with. */
  readonly time: number;
  readonly record: string;
  readonly affected: string;
  readonly rated: boolean;
  /** The modification time in feeds; undefined for the time of the import. */
  readonly modified: number | undefined;
  readonly written: string;
  readonly described: Uint8Array;
}

/** A source that is stored, or will be when the documents before are. */
export type KnownSource = StoredSource | PlannedSource;

/**
 * The source that an import adds to an advisory or changes; undefined if there is none to store:
 *
 * - A record that is older than the one in use.
 * - A record that comes without the right to approve, for an event that was approved: feeds would publish it
 *   without a review.
 * - The same record again.
 */
export function planSource(
  before: Advisory | undefined,
  after: Advisory,
  known: readonly KnownSource[],
  { record, affected, described }: GivenSource,
  { approves, now }: { readonly approves: boolean; readonly now: number },
): PlannedSource | undefined {
  if (after.deleteTime !== undefined) return undefined;
  const time = recordTime(described);
  const inUse = before && sourceInUse(before, known);
  if (inUse !== undefined && time < inUse.time) return undefined;
  if (!approves && isApprovedAt(after, time)) return undefined;
  const texts = { record: JSON.stringify(record), affected: JSON.stringify(affected ?? []) };
  const same = known.find((one) => one.time === time);
  if (same?.record === texts.record && same.affected === texts.affected) return undefined;
  const modified = Date.parse(record.modified as string);
  // The zero time means that it is unset, as do none and one in the future.
  const isLater =
    modified > (before === undefined ? 0 : lastModified(before, inUse)) && modified <= now;
  return {
    ...texts,
    time,
    written: typeof record.modified === "string" ? record.modified : "",
    described: encodeDescribed(described),
    rated: isRated(record.severity) || hasRatedPackage(affected),
    // Readers of feeds rely on times that do not go back.
    modified: isLater && isInEffect(after, described) ? modified : undefined,
  };
}

function isApprovedAt({ events }: Advisory, time: number): boolean {
  return events.some(({ createTime, reviewState }) => {
    const isThen = createTime !== undefined && timestampMs(createTime) === time;
    return isThen && reviewState === ReviewState.APPROVED;
  });
}

/** The earlier modification time in feeds. */
function lastModified(before: Advisory, inUse: KnownSource | undefined): number {
  if (inUse !== undefined && "imported" in inUse) return modifyTimeOf(before, inUse);
  if (inUse !== undefined) return inUse.modified ?? Number.POSITIVE_INFINITY;
  return before.updateTime === undefined
    ? Number.NEGATIVE_INFINITY
    : timestampMs(before.updateTime);
}

function hasRatedPackage(affected: unknown): boolean {
  return Array.isArray(affected) && affected.some((one) => isRated(one?.severity));
}

function isRated(severity: unknown): boolean {
  return Array.isArray(severity) && severity.length > 0;
}
