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

/** The messages of event types in versions 1 and 2. Their fields have the same numbers. */
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

/** Translates an advisory to version 1. */
export function toV1(advisory: Advisory): v1.Advisory {
  const { uid, createTime, updateTime, deleteTime, legacyAdvisoryId } = advisory;
  return create(v1.AdvisorySchema, {
    id: uid,
    ...subjectOf(advisory),
    advisoryId: advisory.advisoryId,
    author: advisory.author,
    events: advisory.events.map(eventToV1),
    ...(createTime && { createdAt: createTime }),
    ...(updateTime && { updatedAt: updateTime }),
    ...(deleteTime && { deletedAt: deleteTime }),
    ...(legacyAdvisoryId !== undefined && { legacyAdvisoryID: legacyAdvisoryId }),
  });
}

/** Translates the fields that callers of version 1 may write: neither author nor times. */
export function fromV1(input: v1.Advisory): Advisory {
  const { legacyAdvisoryID, advisoryId } = input;
  return create(AdvisorySchema, {
    ...subjectOf(input),
    aliases: [...new Set(input.aliases)],
    advisoryId,
    ...(legacyAdvisoryID !== undefined && { legacyAdvisoryId: legacyAdvisoryID }),
  });
}

function subjectOf(advisory: Advisory | v1.Advisory) {
  const { artifactType, artifactName, artifactArchitecture, aliases } = advisory;
  const { componentName = "", componentLocation = "", componentType = "" } = advisory;
  return {
    ...{ artifactType, artifactName, artifactArchitecture, aliases: [...aliases] },
    ...{ componentName, componentLocation, componentType },
  };
}

/** Translates an event to version 1. */
export function eventToV1(event: AdvisoryEvent): v1.AdvisoryEvent {
  const { uid, createTime, findings, author, reviewer, reviewState, reviewReason, issue } = event;
  return create(v1.AdvisoryEventSchema, {
    ...{ id: uid, findings, author, reviewer, status: reviewState as number as v1.ReviewStatus },
    ...(reviewReason !== "" && { reviewReason }),
    ...(createTime && { timestamp: createTime }),
    ...(issue !== undefined && { issue }),
    type: typeIn(event, "v1") as v1.AdvisoryEvent["type"],
  });
}

/** Translates the fields of an event that callers of version 1 may write: neither author nor reviewer. */
export function eventFromV1(input: v1.AdvisoryEvent): AdvisoryEvent {
  const { id, timestamp, findings, status, reviewReason = "", issue } = input;
  return create(AdvisoryEventSchema, {
    ...{ uid: id, findings, reviewState: status as number as AdvisoryEvent["reviewState"] },
    reviewReason,
    ...(timestamp && { createTime: timestamp }),
    ...(issue !== undefined && { issue }),
    type: typeIn(input, "v2") as AdvisoryEvent["type"],
  });
}

function typeIn({ type }: AdvisoryEvent | v1.AdvisoryEvent, to: "v1" | "v2") {
  if (type.case === undefined) return { case: undefined };
  const [schemaV1, schemaV2] = TYPES[type.case];
  const value =
    to === "v2" ? convert(schemaV1, schemaV2, type.value) : convert(schemaV2, schemaV1, type.value);
  return { case: type.case, value };
}

/** Converts through the binary encoding, without unknown fields. */
function convert<To extends DescMessage>(
  from: DescMessage,
  to: To,
  message: Message,
): MessageShape<To> {
  const bytes = toBinary(from, message, { writeUnknownFields: false });
  return fromBinary(to, bytes, { readUnknownFields: false });
}
