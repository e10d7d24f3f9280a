import {
  create,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_AnalysisNotPlannedSchema,
  AdvisoryEvent_ComponentLocationChangedSchema,
  AdvisoryEvent_DetectionSchema,
  AdvisoryEvent_FalsePositiveDeterminationSchema,
  AdvisoryEvent_FixedSchema,
  AdvisoryEvent_FixNotPlannedSchema,
  AdvisoryEvent_PatchedSchema,
  AdvisoryEvent_PendingUpstreamFixSchema,
  AdvisoryEvent_TruePositiveDeterminationSchema,
  AdvisoryEventSchema,
  AdvisorySchema,
  advisoriesV1 as v1,
} from "@wharf/contract";

type EventType = NonNullable<AdvisoryEvent["type"]["case"]>;

/** What each type of event says, in version 1 and here. Their fields have the same numbers. */
const TYPES: Readonly<Record<EventType, readonly [DescMessage, DescMessage]>> = {
  detection: [v1.AdvisoryEvent_DetectionSchema, AdvisoryEvent_DetectionSchema],
  fixed: [v1.AdvisoryEvent_FixedSchema, AdvisoryEvent_FixedSchema],
  falsePositiveDetermination: [
    v1.AdvisoryEvent_FalsePositiveDeterminationSchema,
    AdvisoryEvent_FalsePositiveDeterminationSchema,
  ],
  analysisNotPlanned: [
    v1.AdvisoryEvent_AnalysisNotPlannedSchema,
    AdvisoryEvent_AnalysisNotPlannedSchema,
  ],
  fixNotPlanned: [v1.AdvisoryEvent_FixNotPlannedSchema, AdvisoryEvent_FixNotPlannedSchema],
  pendingUpstreamFix: [
    v1.AdvisoryEvent_PendingUpstreamFixSchema,
    AdvisoryEvent_PendingUpstreamFixSchema,
  ],
  truePositiveDetermination: [
    v1.AdvisoryEvent_TruePositiveDeterminationSchema,
    AdvisoryEvent_TruePositiveDeterminationSchema,
  ],
  patched: [v1.AdvisoryEvent_PatchedSchema, AdvisoryEvent_PatchedSchema],
  componentLocationChanged: [
    v1.AdvisoryEvent_ComponentLocationChangedSchema,
    AdvisoryEvent_ComponentLocationChangedSchema,
  ],
};

/** An advisory as version 1 shows it. */
export function toV1(advisory: Advisory): v1.Advisory {
  const { uid, createTime, updateTime, deleteTime, legacyAdvisoryId } = advisory;
  return create(v1.AdvisorySchema, {
    id: uid,
    ...aboutOf(advisory),
    advisoryId: advisory.advisoryId,
    author: advisory.author,
    events: advisory.events.map(eventToV1),
    ...(createTime && { createdAt: createTime }),
    ...(updateTime && { updatedAt: updateTime }),
    ...(deleteTime && { deletedAt: deleteTime }),
    ...(legacyAdvisoryId !== undefined && { legacyAdvisoryID: legacyAdvisoryId }),
  });
}

/** What a caller of version 1 says that an advisory is about; who wrote it, and when, is left out. */
export function fromV1(given: v1.Advisory): Advisory {
  const { legacyAdvisoryID, advisoryId } = given;
  return create(AdvisorySchema, {
    ...aboutOf(given),
    aliases: [...new Set(given.aliases)],
    advisoryId,
    ...(legacyAdvisoryID !== undefined && { legacyAdvisoryId: legacyAdvisoryID }),
  });
}

function aboutOf(advisory: Advisory | v1.Advisory) {
  const { artifactType, artifactName, artifactArchitecture, aliases } = advisory;
  const { componentName = "", componentLocation = "", componentType = "" } = advisory;
  return {
    ...{ artifactType, artifactName, artifactArchitecture, aliases: [...aliases] },
    ...{ componentName, componentLocation, componentType },
  };
}

/** An event as version 1 shows it. */
export function eventToV1(event: AdvisoryEvent): v1.AdvisoryEvent {
  const { uid, createTime, findings, author, reviewer, reviewState, issue } = event;
  return create(v1.AdvisoryEventSchema, {
    ...{ id: uid, findings, author, reviewer, status: reviewState as number as v1.ReviewStatus },
    ...(createTime && { timestamp: createTime }),
    ...(issue !== undefined && { issue }),
    type: typed(event, "here") as v1.AdvisoryEvent["type"],
  });
}

/** What a caller of version 1 says of an event; who wrote and reviewed it is left out. */
export function eventFromV1(given: v1.AdvisoryEvent): AdvisoryEvent {
  const { id, timestamp, findings, status, issue } = given;
  return create(AdvisoryEventSchema, {
    ...{ uid: id, findings, reviewState: status as number as AdvisoryEvent["reviewState"] },
    ...(timestamp && { createTime: timestamp }),
    ...(issue !== undefined && { issue }),
    type: typed(given, "v1") as AdvisoryEvent["type"],
  });
}

function typed({ type }: AdvisoryEvent | v1.AdvisoryEvent, from: "v1" | "here") {
  if (type.case === undefined) return { case: undefined };
  const [older, newer] = TYPES[type.case];
  const value = from === "v1" ? again(older, newer, type.value) : again(newer, older, type.value);
  return { case: type.case, value };
}

/** The same in the other version. What neither knows does not get through. */
function again<To extends DescMessage>(
  from: DescMessage,
  to: To,
  message: Message,
): MessageShape<To> {
  const bytes = toBinary(from, message, { writeUnknownFields: false });
  return fromBinary(to, bytes, { readUnknownFields: false });
}
