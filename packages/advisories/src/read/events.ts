import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type AdvisoryEvent,
  AdvisoryEventSchema,
  type AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { READ_LIMITS } from "./limits.ts";

/** What an event says, and its own data. */
export type EventType = Exclude<
  NonNullable<MessageInitShape<typeof AdvisoryEventSchema>["type"]>,
  { case: undefined }
>;

export interface EventOrigin {
  readonly author: string;
  /** What comes from elsewhere was reviewed there, unless it says that it was not. */
  readonly reviewState?: ReviewState;
}

/**
 * An event as it comes from elsewhere.
 *
 * @example eventAt(time, { case: "fixed", value: { fixedVersion: "1.2-r0" } }, { author: "distro" })
 */
export function eventAt(
  createTime: Timestamp,
  type: EventType,
  { author, reviewState = ReviewState.APPROVED }: EventOrigin,
): AdvisoryEvent {
  return create(AdvisoryEventSchema, { createTime, author, reviewState, type } as MessageInitShape<
    typeof AdvisoryEventSchema
  >);
}

/**
 * That it is fixed in these versions: with one the usual event, with several or none known the one
 * that has a list.
 *
 * @example fixedIn(["1.2-r0"], "").case // "fixed"
 */
export function fixedIn(versions: readonly string[], note: string): EventType {
  const [only, ...more] = new Set(versions);
  if (only !== undefined && more.length === 0) {
    return { case: "fixed", value: { fixedVersion: only, note } };
  }
  return { case: "patched", value: { patchedVersions: [...new Set(versions)], note } };
}

/** @example falsePositive(FalsePositive.COMPONENT_VULNERABILITY_MISMATCH, "…") */
export function falsePositive(type: FalsePositive, note: string): EventType {
  return { case: "falsePositiveDetermination", value: { type, note } };
}

/**
 * A note that is put together from what a document says in many places, as long as notes may be.
 *
 * @example boundedNote(notes.join("\n"))
 */
export function boundedNote(text: string): string {
  if (text.length <= READ_LIMITS.textLength) return text;
  // Half of a character is none.
  const cut = text.slice(0, READ_LIMITS.textLength - 1).replace(/[\ud800-\udbff]$/, "");
  return `${cut}…`;
}

/** In formats that have no authors, whoever imports is taken for it. */
export const UNKNOWN_AUTHOR = "";
