/** Times of imported events that their document does not give. */
import { create, equals } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryDocument,
  type AdvisoryEvent,
  AdvisoryEventSchema,
} from "@wharf/contract";
import { type GivenSource, givenSource } from "./source-checks.ts";

/** An advisory of a document, and its source, in which every event has a time. */
export interface TimedAdvisory {
  readonly advisory: Advisory;
  readonly source: GivenSource | undefined;
}

/**
 * Gives each event without a time that of the stored event that says the same, so that importing a document again
 * changes nothing; otherwise that of the document, which is the time of the import at most.
 */
export function withTimes(
  stored: Advisory | undefined,
  imported: Advisory,
  { time }: Pick<AdvisoryDocument, "time">,
  now: number,
): TimedAdvisory {
  const source = givenSource(imported);
  if (imported.events.every(({ createTime }) => createTime !== undefined)) {
    return { advisory: imported, source };
  }
  const fallback = timestampFromMs(time === undefined ? now : Math.min(timestampMs(time), now));
  const timed = (event: AdvisoryEvent): AdvisoryEvent => {
    if (event.createTime !== undefined) return event;
    return { ...event, createTime: timeOfSame(stored, event) ?? fallback };
  };
  const advisory = { ...imported, events: imported.events.map(timed) };
  if (source === undefined) return { advisory, source };
  const described = { ...source.described, events: source.described.events.map(timed) };
  return { advisory, source: { ...source, described } };
}

function timeOfSame(stored: Advisory | undefined, event: AdvisoryEvent): Timestamp | undefined {
  const content = contentOf(event);
  return stored?.events.findLast((one) => equals(AdvisoryEventSchema, contentOf(one), content))
    ?.createTime;
}

function contentOf({ type, products, subcomponents }: AdvisoryEvent): AdvisoryEvent {
  return create(AdvisoryEventSchema, { type, products, subcomponents });
}
