import { type Advisory, type AdvisoryEvent, parentOf, advisoriesV1 as v1 } from "@wharf/contract";
import type { CreateDeps } from "../../engine/write/creates.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { validate } from "../../rpc/validate.ts";
import { type EventFieldNames, eventProblems, eventsExcess } from "../event-checks.ts";
import { changedEvent, newEvent } from "../review.ts";
import { workOn, writeAdvisory } from "../writer.ts";
import { eventFromV1, eventToV1 } from "./messages.ts";

const NAMES: EventFieldNames = { time: "timestamp", state: "status" };

/** Adds an event to an advisory. */
export function addEventV1(deps: CreateDeps): Handler {
  return async (call, message) => {
    validate(v1.CreateAdvisoryEventRequestSchema, message);
    const { parentId, advisoryEvent } = message as v1.CreateAdvisoryEventRequest & {
      advisoryEvent: v1.AdvisoryEvent;
    };
    rejectInvalidEvent(advisoryEvent, "advisoryEvent.", call.time, "new");
    const added = newEvent(call.caller.uid, eventFromV1(advisoryEvent));
    const add = workOn(deps, call, parentId, async (writer, before) => {
      const events = [...before.events, added];
      rejectExcess(events, "advisoryEvent");
      const present = new Set(before.events.map(({ uid }) => uid));
      const after = await writer.update({ ...before, events });
      return after.events.find(({ uid }) => !present.has(uid)) as AdvisoryEvent;
    });
    return deps.creates.write(call, add, (event) =>
      messageReply(v1.AdvisoryEventSchema, eventToV1(event)),
    );
  };
}

/** Edits an event that is not decided, or reviews it. */
export function updateEventV1(deps: WriteDeps): Handler {
  return async (call, message) => {
    const input = message as v1.AdvisoryEvent;
    if (input.id === "") throw invalidArgument({ field: "id", description: "id is required" });
    validate(v1.AdvisoryEventSchema, input);
    rejectInvalidEvent(input, "", call.time, "known");
    const requested = eventFromV1(input);
    const event = await writeAdvisory(deps, call, parentOf(input.id), async (writer, advisory) => {
      const before = eventOf(advisory, input.id);
      const changed = changedEvent(writer.change, before, requested);
      if (changed === before) return before;
      const events = advisory.events.map((one) => (one === before ? changed : one));
      rejectExcess(events, "");
      return eventOf(await writer.update({ ...advisory, events }), input.id);
    });
    return messageReply(v1.AdvisoryEventSchema, eventToV1(event));
  };
}

function eventOf({ events }: Advisory, uid: string): AdvisoryEvent {
  const found = events.find((event) => event.uid === uid);
  if (found === undefined) throw notFound("AdvisoryEvent", uid);
  return found;
}

/** Throws if an advisory would have too many or too long events. */
export function rejectExcess(events: readonly AdvisoryEvent[], field: string): void {
  const excess = eventsExcess(events);
  if (excess === undefined) return;
  const description = `the events of an advisory must not be ${excess}`;
  throw invalidArgument({ field, description });
}

/** Throws if an event is invalid; a new event must be pending. */
export function rejectInvalidEvent(
  event: v1.AdvisoryEvent,
  path: string,
  now: number,
  which: "new" | "known",
): void {
  const problems = eventProblems(eventFromV1(event), path, NAMES, now);
  const isPending = [v1.ReviewStatus.UNKNOWN, v1.ReviewStatus.PENDING].includes(event.status);
  if (which === "new" && !isPending) {
    const description = "status must be PENDING: create the event first, then review it";
    problems.push({ field: `${path}status`, description });
  }
  if (problems.length > 0) throw invalidArgument(...problems);
}
