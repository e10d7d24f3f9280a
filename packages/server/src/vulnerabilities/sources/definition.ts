/**
 * The OSV records that advisories were imported from. They are stored apart from advisories, which lists return
 * without them. This file reads them; the resource and feeds import it. Imports store them.
 */
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { isInEffect, keptRecord } from "@wharf/advisories/records";
import { type Advisory, AdvisorySchema, AdvisorySourceSchema, ReviewState } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import {
  type SourceState,
  type StoredSource,
  sourcesOf,
} from "../../store/tables/advisories/sources.ts";

/** Adds the source to an advisory that is returned on its own. A source that awaits approval counts, too. */
export async function addSource(reader: Reader, advisory: Advisory): Promise<void> {
  const sources = await sourcesOf(reader, [advisory.uid]);
  const chosen = sourceInUse(advisory, sources) ?? latest(sources);
  if (chosen !== undefined) setSource(advisory, chosen);
}

/**
 * Adds the sources that feeds publish: those of approved events. Returns the bytes of their entries of `affected`, by
 * the uids of advisories.
 *
 * @param records records that were read before: the advisories of all packages share one
 */
export async function addPublishedSources(
  reader: Reader,
  advisories: readonly Advisory[],
  records: RecordCache = new Map(),
): Promise<ReadonlyMap<string, number>> {
  const all = await sourcesOf(
    reader,
    advisories.map(({ uid }) => uid),
  );
  const byAdvisory = Map.groupBy(all, ({ advisory }) => advisory);
  const sizes = new Map<string, number>();
  for (const advisory of advisories) {
    const chosen = sourceInUse(advisory, byAdvisory.get(advisory.uid) ?? []);
    if (chosen === undefined) continue;
    setSource(advisory, chosen, records);
    sizes.set(advisory.uid, chosen.affected.length);
  }
  return sizes;
}

/** Parsed records by their digests. */
export type RecordCache = Map<string, JsonObject>;

/** Sources are matched with events by time. */
export type TimedSource = Pick<SourceState, "time">;

/** The source of the latest approved event that has one. */
export function sourceInUse<S extends TimedSource>(
  { events }: Advisory,
  sources: readonly S[],
): S | undefined {
  const approved = new Set(
    events
      .filter(({ reviewState }) => reviewState === ReviewState.APPROVED)
      .map(({ createTime }) => createTime && timestampMs(createTime)),
  );
  return latest(sources.filter(({ time }) => approved.has(time)));
}

/** The record's time, until the advisory is changed here. */
export function modifyTimeOf({ updateTime }: Advisory, state: SourceState): number {
  const updated = updateTime === undefined ? state.imported : timestampMs(updateTime);
  return updated === state.imported ? state.modified : updated;
}

/**
 * Encodes the statement of a record about its package for comparison with the advisory. It is stored, because a later
 * version of the server may describe the same record in other words.
 */
export function encodeDescribed(described: Advisory): Uint8Array {
  const { artifactName, artifactType, artifactArchitecture, componentLocation, events } = described;
  const about = { artifactName, artifactType, artifactArchitecture, componentLocation };
  return toBinary(
    AdvisorySchema,
    create(AdvisorySchema, { ...about, componentType: described.componentType, events }),
  );
}

/** A record is ignored once the advisory no longer has its id as an alias: then it is about something else. */
function setSource(
  advisory: Advisory,
  stored: StoredSource,
  records: RecordCache = new Map(),
): void {
  const record = records.get(stored.digest) ?? (JSON.parse(stored.record) as JsonObject);
  records.set(stored.digest, record);
  if (!advisory.aliases.includes(record.id as string)) return;
  const osv = keptRecord(record, JSON.parse(stored.affected));
  advisory.source = create(AdvisorySourceSchema, {
    osv,
    inEffect: isInEffect(advisory, fromBinary(AdvisorySchema, stored.described)),
    modifyTime: timestampFromMs(modifyTimeOf(advisory, stored)),
  });
}

function latest<S extends TimedSource>(sources: readonly S[]): S | undefined {
  return sources.reduce<S | undefined>((last, one) => {
    return last === undefined || one.time > last.time ? one : last;
  }, undefined);
}
