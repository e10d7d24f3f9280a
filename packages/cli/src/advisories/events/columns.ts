import type { AdvisoryEvent } from "@wharf/client";
import type { Column } from "../../output/columns.ts";
import { kindOf, reviewOf } from "../status.ts";

export const EVENT_COLUMNS: readonly Column<AdvisoryEvent>[] = [
  { header: "UID", value: ({ uid }) => uid },
  { header: "Time", value: ({ createTime }) => createTime },
  { header: "Says", value: kindOf },
  { header: "Detail", value: detailOf },
  { header: "Review", value: reviewOf },
  { header: "Author", value: ({ author }) => author, wide: true },
  { header: "Reviewer", value: ({ reviewer }) => reviewer, wide: true },
  { header: "Note", value: noteOf, wide: true },
  { header: "Issue", value: ({ issue }) => issue, wide: true },
];

/** What matters most of what an event says. */
function detailOf({ type }: AdvisoryEvent): string {
  switch (type.case) {
    case "fixed":
      return type.value.fixedVersion;
    case "patched":
      return type.value.patchedVersions.join(", ");
    case "detection":
      return type.value.type.case === "scanv1" ? type.value.type.value.scanner : "";
    case "componentLocationChanged":
      return `${type.value.previousLocation} → ${type.value.newLocation}`;
    default:
      return "";
  }
}

function noteOf({ type }: AdvisoryEvent): string {
  return type.value !== undefined && "note" in type.value ? type.value.note : "";
}
