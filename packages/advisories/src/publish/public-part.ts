import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEventSchema,
  AdvisorySchema,
} from "@wharf/contract/messages";
import { isPublic } from "./assessment.ts";

/**
 * What outsiders may know of an advisory: all but uids, which mean something here alone, and of its
 * events only what was approved, without who reviewed it, which ticket it was discussed in, and the
 * findings that led to it.
 *
 * @example publicPart(advisory).events.every(({ reviewState }) => reviewState === ReviewState.APPROVED)
 */
export function publicPart(advisory: Advisory): Advisory {
  const { $typeName: _, uid: _uid, events, ...rest } = advisory;
  return create(AdvisorySchema, { ...rest, events: events.filter(isPublic).map(publicEvent) });
}

/** The same in the JSON of protobuf, from which it can be read again exactly. */
export function publicJson(advisory: Advisory): JsonObject {
  return toJson(AdvisorySchema, publicPart(advisory)) as JsonObject;
}

function publicEvent({ createTime, author, reviewState, type }: AdvisoryEvent): AdvisoryEvent {
  return create(AdvisoryEventSchema, {
    ...(createTime === undefined ? {} : { createTime }),
    author,
    reviewState,
    type,
  });
}
