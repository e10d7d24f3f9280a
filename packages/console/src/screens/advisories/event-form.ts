import type { advisoriesV1 } from "@wharf/contract/messages";
import type { EventType, eventTexts } from "../../texts/advisories.ts";
import { entriesOf } from "../../ui/entries.ts";
import { typeOf } from "./model.ts";

type StoredEvent = advisoriesV1.AdvisoryEventJson;

export type Found = keyof typeof eventTexts.founds;

export const DETECTION_FIELDS: Readonly<
  Record<Found, readonly (keyof typeof eventTexts.detection)[]>
> = {
  manual: [],
  nvdapi: ["cpeSearched", "cpeFound"],
  scanv1: [
    "scanner",
    "scannerVersion",
    "subpackageName",
    "componentName",
    "componentVersion",
    "componentType",
    "componentLocation",
    "artifactVersion",
  ],
};

/** The source of a detection. */
export function foundBy(detection: { readonly scanv1?: object; readonly nvdapi?: object }): Found {
  if (detection.scanv1 !== undefined) return "scanv1";
  return detection.nvdapi === undefined ? "manual" : "nvdapi";
}

/** The event that a form describes. */
export function enteredEvent(text: (name: string) => string): StoredEvent {
  const type = text("type") as EventType;
  const time = Date.parse(text("time"));
  return {
    [type]: contentEntered(type, text),
    ...(text("issue") !== "" && { issue: text("issue") }),
    ...(!Number.isNaN(time) && { timestamp: new Date(time).toISOString() }),
  };
}

function contentEntered(type: EventType, text: (name: string) => string): object {
  const note = text("note");
  switch (type) {
    case "detection": {
      const found = text("found") as Found;
      return {
        [found]: Object.fromEntries(DETECTION_FIELDS[found].map((one) => [one, text(one)])),
      };
    }
    case "fixed":
      return { fixedVersion: text("fixedVersion"), note };
    case "patched":
      return { patchedVersions: entriesOf(text("patchedVersions")), note };
    case "falsePositiveDetermination":
      return { type: text("reason"), note };
    case "componentLocationChanged": {
      const [previousLocation, newLocation] = [text("previousLocation"), text("newLocation")];
      return { previousLocation, newLocation, note };
    }
    default:
      return { note };
  }
}

/** A stored event with the values of a form. Fields that only scanners set stay if the type does. */
export function editedEvent(stored: StoredEvent, text: (name: string) => string): StoredEvent {
  const type = text("type") as EventType;
  const { id, timestamp, findings } = stored;
  const next = enteredEvent(text);
  const former = typeOf(stored) === type ? (stored[type] as object) : {};
  const content = next[type] as object;
  const merged = type === "detection" ? content : { ...former, ...content };
  return {
    ...next,
    [type]: merged,
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    ...(findings !== undefined && { findings }),
    status: "PENDING",
  };
}
