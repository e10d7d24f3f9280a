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
  sourceStatesOf,
  sourcesOf,
} from "../../store/tables/advisories/sources.ts";

/** Adds the source to an advisory that is returned on its own. A source that awaits approval counts, too. */
export async function addSource(reader: Reader, advisory: Advisory): Promise<void> {
  const sources = await sourcesOf(reader, [advisory.uid]);
  const chosen = sourceInUse(advisory, sources) ?? latest(sources);
  if (chosen !== undefined) setSource(advisory, chosen);
}

/** Adds the sources that feeds publish: those of approved events. */
export async function addPublishedSources(
  reader: Reader,
  advisories: readonly Advisory[],
): Promise<void> {
  const all = await sourcesOf(reader, advisories.map(uidOf));
  forEachInUse(advisories, all, setSource);
}

/** Adds the times at which feeds say that advisories were modified, without the rest of the records. */
export async function addModifyTimes(
  reader: Reader,
  advisories: readonly Advisory[],
): Promise<void> {
  const all = await sourceStatesOf(reader, advisories.map(uidOf));
  forEachInUse(advisories, all, (advisory, state) => {
    const modifyTime = timestampFromMs(modifyTimeOf(advisory, state));
    const osv = { modified: state.written };
    advisory.source = create(AdvisorySourceSchema, { osv, modifyTime });
  });
}

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
 * What a record says of its package, as it is compared with the advisory. It is stored, because a later version of
 * the server may describe the same record in other words.
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
function setSource(advisory: Advisory, stored: StoredSource): void {
  const record = JSON.parse(stored.record) as JsonObject;
  if (!advisory.aliases.includes(record.id as string)) return;
  const osv = keptRecord(record, JSON.parse(stored.affected));
  advisory.source = create(AdvisorySourceSchema, {
    osv,
    inEffect: isInEffect(advisory, fromBinary(AdvisorySchema, stored.described)),
    modifyTime: timestampFromMs(modifyTimeOf(advisory, stored)),
  });
}

function forEachInUse<S extends SourceState>(
  advisories: readonly Advisory[],
  all: readonly S[],
  use: (advisory: Advisory, source: S) => void,
): void {
  const byAdvisory = Map.groupBy(all, ({ advisory }) => advisory);
  for (const advisory of advisories) {
    const chosen = sourceInUse(advisory, byAdvisory.get(advisory.uid) ?? []);
    if (chosen !== undefined) use(advisory, chosen);
  }
}

function latest<S extends TimedSource>(sources: readonly S[]): S | undefined {
  return sources.reduce<S | undefined>((last, one) => {
    return last === undefined || one.time > last.time ? one : last;
  }, undefined);
}

function uidOf({ uid }: Advisory): string {
  return uid;
}
