import { type Advisory, type AdvisoryEvent, parentOf, advisoriesV1 as v1 } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { validate } from "../../rpc/validate.ts";
import { type EventNames, eventProblems, tooMuch } from "../event-checks.ts";
import { changedEvent, newEvent } from "../review.ts";
import { writeAdvisory } from "../writing.ts";
import { eventFromV1, eventToV1 } from "./messages.ts";

const NAMES: EventNames = { time: "timestamp", state: "status" };

/** Adds an event to an advisory. */
export function addEventV1(engine: Engine): Handler {
  return async (call, message) => {
    validate(v1.CreateAdvisoryEventRequestSchema, message);
    const { parentId, advisoryEvent } = message as v1.CreateAdvisoryEventRequest & {
      advisoryEvent: v1.AdvisoryEvent;
    };
    refuseBadEvent(advisoryEvent, "advisoryEvent.", call.time, "new");
    const added = newEvent(call.caller.uid, eventFromV1(advisoryEvent));
    const event = await writeAdvisory(engine, call, parentId, async (writer, before) => {
      const events = [...before.events, added];
      refuseTooMuch(events, "advisoryEvent");
      const present = new Set(before.events.map(({ uid }) => uid));
      const after = await writer.update({ ...before, events });
      return after.events.find(({ uid }) => !present.has(uid)) as AdvisoryEvent;
    });
    return messageReply(v1.AdvisoryEventSchema, eventToV1(event));
  };
}

/** Replaces an event that nobody has decided on, or reviews it. */
export function updateEventV1(engine: Engine): Handler {
  return async (call, message) => {
    const given = message as v1.AdvisoryEvent;
    if (given.id === "") throw invalidArgument({ field: "id", description: "id is required" });
    validate(v1.AdvisoryEventSchema, given);
    refuseBadEvent(given, "", call.time, "known");
    const asked = eventFromV1(given);
    const event = await writeAdvisory(
      engine,
      call,
      parentOf(given.id),
      async (writer, advisory) => {
        const before = eventOf(advisory, given.id);
        const changed = changedEvent(writer.change, before, asked);
        if (changed === before) return before;
        const events = advisory.events.map((one) => (one === before ? changed : one));
        refuseTooMuch(events, "");
        return eventOf(await writer.update({ ...advisory, events }), given.id);
      },
    );
    return messageReply(v1.AdvisoryEventSchema, eventToV1(event));
  };
}

function eventOf({ events }: Advisory, uid: string): AdvisoryEvent {
  const found = events.find((event) => event.uid === uid);
  if (found === undefined) throw notFound("AdvisoryEvent", uid);
  return found;
}

/** Refuses more events, or longer ones, than an advisory may have. */
export function refuseTooMuch(events: readonly AdvisoryEvent[], field: string): void {
  const excess = tooMuch(events);
  if (excess === undefined) return;
  const description = `the events of an advisory must not be ${excess}`;
  throw invalidArgument({ field, description });
}

/** Refuses an event that says nothing, or comes before its time. A new one cannot be reviewed yet. */
export function refuseBadEvent(
  event: v1.AdvisoryEvent,
  path: string,
  now: number,
  which: "new" | "known",
): void {
  const problems = eventProblems(eventFromV1(event), path, NAMES, now);
  const isWaiting = [v1.ReviewStatus.UNKNOWN, v1.ReviewStatus.PENDING].includes(event.status);
  if (which === "new" && !isWaiting) {
    const description = "status must be PENDING: an event is reviewed once it is there";
    problems.push({ field: `${path}status`, description });
  }
  if (problems.length > 0) throw invalidArgument(...problems);
}
