import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type AdvisoryEvent,
  type DocumentEvent_DetectionSchema,
  type DocumentEventSchema,
  ReviewState,
} from "@wharf/contract";

type DocumentEvent = MessageInitShape<typeof DocumentEventSchema>;

/** The approved events of an advisory, of the types that the contract has, the oldest first. */
export function publishedEvents(events: readonly AdvisoryEvent[]): DocumentEvent[] {
  return events
    .filter(({ reviewState }) => reviewState === ReviewState.APPROVED)
    .flatMap((event) => {
      const data = dataOf(event);
      const { createTime } = event;
      return data === undefined ? [] : [{ data, ...(createTime && { timestamp: createTime }) }];
    });
}

function dataOf({ type }: AdvisoryEvent): DocumentEvent["data"] {
  switch (type.case) {
    case "truePositiveDetermination":
    case "falsePositiveDetermination":
    case "analysisNotPlanned":
    case "fixNotPlanned":
    case "pendingUpstreamFix":
      return type as DocumentEvent["data"];
    case "fixed": {
      const { fixedVersion, scannerVersion, grypeDbBuilt, grypeDbChecksum } = type.value;
      return {
        case: "fixed",
        value: { fixedVersion, scannerVersion, grypeDbBuilt, grypeDbChecksum },
      };
    }
    // Clients know one version with the fix: the first one.
    case "patched":
      return { case: "fixed", value: { fixedVersion: type.value.patchedVersions[0] ?? "" } };
    case "detection":
      return { case: "detection", value: detectionOf(type.value) };
    default:
      return undefined;
  }
}

type Published = MessageInitShape<typeof DocumentEvent_DetectionSchema>;

type Detection = Extract<AdvisoryEvent["type"], { case: "detection" }>["value"];

function detectionOf({ type }: Detection): Published {
  if (type.case === "manual") return { type: { case: "manual" as const, value: {} } };
  if (type.case === "nvdapi") {
    const { cpeSearched, cpeFound } = type.value;
    return { type: { case: "nvdapi" as const, value: { cpeSearched, cpeFound } } };
  }
  if (type.case !== "scanv1") return {};
  const { $typeName: _, $unknown: __, subpackage, component, ...same } = type.value;
  const value = { ...same, subpackageName: subpackage, componentName: component };
  return { type: { case: "scanv1" as const, value } };
}
