import type { TagExposureJson } from "@wharf/contract/messages";

/** Whether a tag has the fix. A tag whose packages are not known is never said to have it. */
export function tagState({
  status = "FINDING_STATUS_UNSPECIFIED",
  known = false,
}: TagExposureJson): "fixed" | "affected" | "unknown" | "suppressed" {
  switch (status) {
    case "FINDING_STATUS_AFFECTED":
      return "affected";
    case "FINDING_STATUS_UNKNOWN":
      return "unknown";
    case "FINDING_STATUS_UNSPECIFIED":
      return known ? "fixed" : "unknown";
    default:
      return known ? "suppressed" : "unknown";
  }
}
