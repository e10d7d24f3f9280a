import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEventSchema,
  AdvisorySchema,
} from "@wharf/contract/messages";
import { isPublic } from "./assessment.ts";

/**
 * The published fields of an advisory: no uids, no source, and only approved events, without reviewer, issue and
 * findings.
 *
 * @example publicPart(advisory).events.every(({ reviewState }) => reviewState === ReviewState.APPROVED)
 */
export function publicPart(advisory: Advisory): Advisory {
  // OSV documents publish the source beside it.
  const { $typeName: _, uid: _uid, source: _source, events, aliases, ...rest } = advisory;
  // Earlier versions stored empty aliases, which no import takes.
  const names = aliases.filter((alias) => alias.trim() !== "");
  return create(AdvisorySchema, {
    ...rest,
    aliases: names,
    events: events.filter(isPublic).map(publicEvent),
  });
}

/** The published fields as protobuf JSON, which can be imported without loss. */
export function publicJson(advisory: Advisory): JsonObject {
  return toJson(AdvisorySchema, publicPart(advisory)) as JsonObject;
}

function publicEvent(event: AdvisoryEvent): AdvisoryEvent {
  const { createTime, author, reviewState, type, products, subcomponents } = event;
  return create(AdvisoryEventSchema, {
    ...(createTime === undefined ? {} : { createTime }),
    author,
    reviewState,
    type,
    products,
    subcomponents,
  });
}
