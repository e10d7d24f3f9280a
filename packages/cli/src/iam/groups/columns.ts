import type { Group } from "@wharf/client";
import type { Column } from "../../output/columns.ts";

/** What is shown of organizations and folders. */
export const GROUP_COLUMNS: readonly Column<Group>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Description", value: ({ description }) => description },
  { header: "Verified", value: ({ verified }) => (verified ? "yes" : "no"), wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
  { header: "Limits", value: ({ resourceLimits }) => limitsOf(resourceLimits), wide: true },
];

function limitsOf(limits: Group["resourceLimits"]): string[] {
  return Object.entries(limits).map(([what, most]) => `${what}=${most}`);
}
