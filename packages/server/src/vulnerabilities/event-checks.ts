import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositiveType,
  ReviewState,
} from "@wharf/contract";
import type { FieldViolation } from "../lib/errors.ts";

/** What the fields of an event are called where it comes from. */
export interface EventNames {
  readonly time: string;
  readonly state: string;
}

/** An advisory with more events tells nobody anything; the contract says the same of new ones. */
const MOST_EVENTS = 1_000;

/** For a page of a list, 200 advisories with all of their events are read at once. */
const MOST_CHARACTERS = 256 * 1024;

/** What an advisory's events must not be, and these are; undefined where they are not. */
export function tooMuch(events: readonly AdvisoryEvent[]): string | undefined {
  if (events.length > MOST_EVENTS) return `more than ${MOST_EVENTS}`;
  let size = 0;
  for (const { findings, issue = "", author, type } of events) {
    size += findings.length + issue.length + author.length + sizeOf(type.value);
  }
  return size > MOST_CHARACTERS ? `longer than ${MOST_CHARACTERS} characters` : undefined;
}

/** How many characters all texts in a message have. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let size = 0;
  for (const part of Object.values(value)) size += sizeOf(part);
  return size;
}

/** The first moment that a time can name. */
const EARLIEST_SECONDS = -62_135_596_800n;

/** The last second that a time can name. */
const LATEST_SECONDS = 253_402_300_799n;

const MOST_NANOS = 999_999_999;

/**
 * What is wrong with an event beyond the limits that the contract has: it must say what happened,
 * and not before it does.
 */
export function eventProblems(
  event: AdvisoryEvent,
  path: string,
  names: EventNames,
  now: number,
): FieldViolation[] {
  const { type, createTime, reviewState } = event;
  const found: FieldViolation[] = [];
  const add = (name: string, rest: string) =>
    found.push({ field: path + name, description: `${name} ${rest}` });
  if (type.case === undefined) {
    const description = "the event must say what happened: detection, fixed or another type";
    found.push({ field: `${path}type`, description });
  }
  if (createTime !== undefined) {
    const problem = timeProblem(createTime, now);
    if (problem !== undefined) add(names.time, problem);
  }
  if (ReviewState[reviewState] === undefined) add(names.state, "is not known");
  if (type.case === "falsePositiveDetermination") {
    const known = FalsePositiveType[type.value.type] !== undefined;
    if (!known) add("falsePositiveDetermination.type", "is not known");
  }
  return found;
}

/** What is wrong with the time of something that has happened. */
export function timeProblem(time: Timestamp, now: number): string | undefined {
  const { seconds, nanos } = time;
  const isTime = seconds >= EARLIEST_SECONDS && seconds <= LATEST_SECONDS;
  if (!isTime || nanos < 0 || nanos > MOST_NANOS) return "must be a time";
  return timestampMs(time) > now ? "must not be in the future" : undefined;
}
