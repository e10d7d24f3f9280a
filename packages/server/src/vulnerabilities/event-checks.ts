import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { isPackageUrl } from "@wharf/advisories";
import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositiveType,
  ReviewState,
} from "@wharf/contract";
import type { FieldViolation } from "../lib/errors.ts";

/** The names of event fields in the caller's version of the API. */
export interface EventFieldNames {
  readonly time: string;
  readonly state: string;
}

/** The contract has the same limit for new advisories. */
const MAX_EVENTS = 1_000;

/** A page of a list loads 200 advisories with all of their events. */
const MAX_CHARACTERS = 256 * 1024;

/** The limit that the events of an advisory exceed; undefined for none. */
export function eventsExcess(events: readonly AdvisoryEvent[]): string | undefined {
  if (events.length > MAX_EVENTS) return `more than ${MAX_EVENTS}`;
  let size = 0;
  for (const event of events) {
    const { findings, issue = "", author, type, reviewReason, reviews } = event;
    size += findings.length + issue.length + author.length + sizeOf(type.value);
    size += reviewReason.length + sizeOf(reviews);
    size += sizeOf(event.products) + sizeOf(event.subcomponents);
  }
  return size > MAX_CHARACTERS ? `longer than ${MAX_CHARACTERS} characters` : undefined;
}

/** The number of characters in all strings of a message. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let size = 0;
  for (const field of Object.values(value)) size += sizeOf(field);
  return size;
}

/** The range of google.protobuf.Timestamp: the years 1 to 9999. */
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;

const MAX_NANOS = 999_999_999;

/**
 * Violations of the rules for events that the contract cannot express: an event has a type, defined enum values, and a
 * time that is not in the future.
 */
export function eventProblems(
  event: AdvisoryEvent,
  path: string,
  names: EventFieldNames,
  now: number,
): FieldViolation[] {
  const { type, createTime, reviewState } = event;
  const found: FieldViolation[] = [];
  const add = (name: string, rest: string) =>
    found.push({ field: path + name, description: `${name} ${rest}` });
  if (type.case === undefined) {
    const description = "the event must have a type, such as detection or fixed";
    found.push({ field: `${path}type`, description });
  }
  if (createTime !== undefined) {
    const problem = timeProblem(createTime, now);
    if (problem !== undefined) add(names.time, problem);
  }
  for (const name of ["products", "subcomponents"] as const) {
    for (const [number, purl] of event[name].entries()) {
      if (!isPackageUrl(purl)) add(`${name}[${number}]`, "must be a package URL");
    }
  }
  if (ReviewState[reviewState] === undefined) add(names.state, "is not known");
  if (type.case === "falsePositiveDetermination") {
    const known = FalsePositiveType[type.value.type] !== undefined;
    if (!known) add("falsePositiveDetermination.type", "is not known");
  }
  return found;
}

/** Why a time is not a valid time of a past event. */
export function timeProblem(time: Timestamp, now: number): string | undefined {
  const { seconds, nanos } = time;
  const isTime = seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
  if (!isTime || nanos < 0 || nanos > MAX_NANOS) return "must be a time";
  return timestampMs(time) > now ? "must not be in the future" : undefined;
}
