import { clone, create, equals } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AdvisoryEvent,
  AdvisoryEvent_ReviewSchema,
  AdvisoryEventSchema,
  Capability,
  parentOf,
  ReviewState,
} from "@wharf/contract";
import type { Mutation } from "../engine/write/mutation.ts";
import { failedPrecondition, invalidArgument, type WharfError } from "../lib/errors.ts";
import { inMilliseconds } from "./import/merge.ts";

/** Final review states. */
const DECIDED: ReadonlyMap<ReviewState, string> = new Map([
  [ReviewState.APPROVED, "approved"],
  [ReviewState.REJECTED, "rejected"],
]);

/** A new event: pending, with the caller as author. */
export function newEvent(author: string, input: AdvisoryEvent): AdvisoryEvent {
  const event = clone(AdvisoryEventSchema, input);
  event.uid = "";
  event.author = author;
  event.reviewer = "";
  event.reviewReason = "";
  event.reviews = [];
  event.products = [];
  event.subcomponents = [];
  event.reviewState = ReviewState.PENDING;
  normalizeTime(event, undefined);
  return event;
}

/**
 * The event after an update. An update either edits the event or reviews it, never both.
 *
 * - States: pending ↔ changes requested; pending → approved or rejected, which are final.
 * - A review requires the capability to approve at the advisory, and an identity other than the author.
 * - An edit makes the caller the author, so that no one can approve their own text.
 * - Every review is recorded with its reason. The reason of the latest one is visible until the event is pending again.
 */
export function changedEvent(
  change: Mutation,
  before: AdvisoryEvent,
  input: AdvisoryEvent,
): AdvisoryEvent {
  const after = clone(AdvisoryEventSchema, input);
  after.uid = before.uid;
  after.author = before.author;
  after.reviewer = before.reviewer;
  after.reviews = before.reviews;
  // Version 1 does not have them: its edits must not extend an event to other products.
  const keepsScope = after.type.case === before.type.case && isSameFix(before, after);
  after.products = keepsScope ? before.products : [];
  after.subcomponents = keepsScope ? before.subcomponents : [];
  normalizeTime(after, before);
  after.reviewState ||= ReviewState.PENDING;
  after.reviewReason = after.reviewState === before.reviewState ? before.reviewReason : "";
  // An edit of an event with requested changes may repeat that state.
  const isReview = ![ReviewState.PENDING, before.reviewState].includes(after.reviewState);
  // Callers may send the reason back that they have read.
  if (!isReview && input.reviewReason !== "" && input.reviewReason !== before.reviewReason) {
    const description = "reviewReason is the reason of a review: set the review state as well";
    throw invalidArgument({ field: "reviewReason", description });
  }
  if (equals(AdvisoryEventSchema, before, after)) return before;
  if (isReview) change.mustHold([Capability.CAP_ADVISORIES_APPROVE], parentOf(before.uid));
  rejectDecided(before);
  const isSameContent = hasSameContent(before, after);
  if (isReview) {
    checkReview(change, before, isSameContent);
    const { uid: reviewer } = change.caller;
    const { reviewState: state } = after;
    const reason = input.reviewReason;
    const review = { reviewer, state, reason, time: timestampFromMs(change.call.time) };
    Object.assign(after, { reviewer, reviewReason: reason });
    after.reviews = [...before.reviews, create(AdvisoryEvent_ReviewSchema, review)];
  } else if (!isSameContent) after.author = change.caller.uid;
  return after;
}

/** Truncates to the precision that the API shows; an omitted time stays. */
function normalizeTime(event: AdvisoryEvent, before: AdvisoryEvent | undefined): void {
  const time = inMilliseconds(event.createTime) ?? before?.createTime;
  if (time !== undefined) event.createTime = time;
}

function rejectDecided({ uid, reviewState }: AdvisoryEvent): void {
  const decided = DECIDED.get(reviewState);
  if (decided === undefined) return;
  throw preconditionFailed(
    "EVENT_REVIEWED",
    uid,
    `the event was ${decided} and can no longer be changed`,
  );
}

function checkReview(change: Mutation, before: AdvisoryEvent, isSameContent: boolean): void {
  const { uid, author, reviewState } = before;
  if (!isSameContent) {
    const text = "a review must not change the content of the event: send the event as it was read";
    throw preconditionFailed("EVENT_CHANGED", uid, text);
  }
  if (reviewState !== ReviewState.PENDING) {
    const text = "changes to the event were requested: set it to pending before reviewing it again";
    throw preconditionFailed("EVENT_NOT_PENDING", uid, text);
  }
  if (author === change.caller.uid) {
    throw preconditionFailed("REVIEWER_IS_AUTHOR", uid, "the author of an event cannot review it");
  }
}

/** Whether two events are equal except for their review. */
function hasSameContent(one: AdvisoryEvent, other: AdvisoryEvent): boolean {
  const { author, reviewer, reviewState, reviewReason, reviews } = one;
  const review = { author, reviewer, reviewState, reviewReason, reviews };
  return equals(AdvisoryEventSchema, one, { ...other, ...review });
}

function preconditionFailed(type: string, subject: string, description: string): WharfError {
  return failedPrecondition({ type, subject, description });
}

/** The products of a fix are in its versions: other versions are those of other products. */
function isSameFix({ type: before }: AdvisoryEvent, { type: after }: AdvisoryEvent): boolean {
  if (before.case === "fixed" && after.case === "fixed") {
    return before.value.fixedVersion === after.value.fixedVersion;
  }
  if (before.case !== "patched" || after.case !== "patched") return true;
  return before.value.patchedVersions.join("\n") === after.value.patchedVersions.join("\n");
}
