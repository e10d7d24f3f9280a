import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type AdvisoryEvent,
  AdvisoryEventSchema,
  type AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { READ_LIMITS } from "./limits.ts";

/** The type of an event with its data. */
export type EventType = Exclude<
  NonNullable<MessageInitShape<typeof AdvisoryEventSchema>["type"]>,
  { case: undefined }
>;

export interface EventOrigin {
  readonly author: string;
  /** Approved by default: a published document was reviewed by its publisher. */
  readonly reviewState?: ReviewState;
}

/**
 * Creates an imported event. The server gives one without a time that of the document.
 *
 * @example eventAt(time, { case: "fixed", value: { fixedVersion: "1.2-r0" } }, { author: "distro" })
 */
export function eventAt(
  createTime: Timestamp | undefined,
  type: EventType,
  { author, reviewState = ReviewState.APPROVED }: EventOrigin,
): AdvisoryEvent {
  const event = { ...(createTime && { createTime }), author, reviewState, type };
  return create(AdvisoryEventSchema, event as MessageInitShape<typeof AdvisoryEventSchema>);
}

/**
 * A fix: `fixed` for one version, `patched` for several versions or none.
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
 * Truncates a note that is combined from several fields of a document.
 *
 * @example boundedNote(notes.join("\n"))
 */
export function boundedNote(text: string): string {
  if (text.length <= READ_LIMITS.textLength) return text;
  // Not in the middle of a surrogate pair.
  const cut = text.slice(0, READ_LIMITS.textLength - 1).replace(/[\ud800-\udbff]$/, "");
  return `${cut}…`;
}

/** For formats without authors: the importer becomes the author. */
export const UNKNOWN_AUTHOR = "";
