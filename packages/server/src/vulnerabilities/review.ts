import { clone, equals } from "@bufbuild/protobuf";
import {
  type AdvisoryEvent,
  AdvisoryEventSchema,
  Capability,
  parentOf,
  ReviewState,
} from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { failedPrecondition, type WharfError } from "../lib/errors.ts";
import { inMilliseconds } from "./import/merge.ts";

/** What cannot be taken back. */
const DECIDED: ReadonlyMap<ReviewState, string> = new Map([
  [ReviewState.APPROVED, "approved"],
  [ReviewState.REJECTED, "rejected"],
]);

/**
 * A new event: pending, and by whoever calls.
 *
 * @example advisory.events.push(newEvent(change.caller.uid, given));
 */
export function newEvent(author: string, given: AdvisoryEvent): AdvisoryEvent {
  const event = clone(AdvisoryEventSchema, given);
  event.uid = "";
  event.author = author;
  event.reviewer = "";
  event.reviewState = ReviewState.PENDING;
  settleTime(event, undefined);
  return event;
}

/**
 * An event after it was replaced by what a caller gave: changed, or reviewed, never both at once.
 *
 * Pending → changes requested ↔ pending → approved or rejected, and that is the end. A review takes
 * the right to approve at the advisory, and another identity than the author's. Whoever changes what
 * an event says is its author from then on: so nobody can approve words of their own.
 *
 * @example const after = changedEvent(change, before, given);
 */
export function changedEvent(
  change: Mutation,
  before: AdvisoryEvent,
  given: AdvisoryEvent,
): AdvisoryEvent {
  const after = clone(AdvisoryEventSchema, given);
  after.uid = before.uid;
  after.author = before.author;
  after.reviewer = before.reviewer;
  settleTime(after, before);
  after.reviewState ||= ReviewState.PENDING;
  if (equals(AdvisoryEventSchema, before, after)) return before;
  // Whoever makes the changes that were requested may send the state that they have read.
  const isReview = ![ReviewState.PENDING, before.reviewState].includes(after.reviewState);
  if (isReview) change.mustHold([Capability.CAP_ADVISORIES_APPROVE], parentOf(before.uid));
  refuseDecided(before);
  const saysTheSame = sameWords(before, after);
  if (isReview) {
    mayReview(change, before, saysTheSame);
    after.reviewer = change.caller.uid;
  } else if (!saysTheSame) after.author = change.caller.uid;
  return after;
}

/** As precise as it is shown; where none is given, it stays. */
function settleTime(event: AdvisoryEvent, before: AdvisoryEvent | undefined): void {
  const time = inMilliseconds(event.createTime) ?? before?.createTime;
  if (time !== undefined) event.createTime = time;
}

function refuseDecided({ uid, reviewState }: AdvisoryEvent): void {
  const decided = DECIDED.get(reviewState);
  if (decided === undefined) return;
  throw refusal("EVENT_REVIEWED", uid, `the event was ${decided}, so it no longer changes`);
}

function mayReview(change: Mutation, before: AdvisoryEvent, saysTheSame: boolean): void {
  const { uid, author, reviewState } = before;
  if (!saysTheSame) {
    const text = "the event does not say what was reviewed: a review cannot change what it says";
    throw refusal("EVENT_CHANGED", uid, text);
  }
  if (reviewState !== ReviewState.PENDING) {
    const text = "changes to the event were requested: it must be pending to be reviewed again";
    throw refusal("EVENT_NOT_PENDING", uid, text);
  }
  if (author === change.caller.uid) {
    throw refusal("REVIEWER_IS_AUTHOR", uid, "the author of an event cannot review it");
  }
}

/** Whether two events say the same, however they were reviewed. */
function sameWords(one: AdvisoryEvent, other: AdvisoryEvent): boolean {
  const { author, reviewer, reviewState } = one;
  return equals(AdvisoryEventSchema, one, { ...other, author, reviewer, reviewState });
}

function refusal(type: string, subject: string, description: string): WharfError {
  return failedPrecondition({ type, subject, description });
}
