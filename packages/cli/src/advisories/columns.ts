import type { Advisory } from "@wharf/client";
import { type Column, textOf } from "../output/columns.ts";
import { fixedIn, kindOf, reviewOf, statusOf, timeOf } from "./status.ts";

export const ADVISORY_COLUMNS: readonly Column<Advisory>[] = [
  { header: "ID", value: ({ advisoryId }) => advisoryId },
  { header: "Aliases", value: ({ aliases }) => aliases },
  { header: "Artifact", value: ({ artifactName }) => artifactName },
  { header: "Component", value: ({ componentName }) => componentName },
  { header: "Status", value: statusOf },
  { header: "Fixed in", value: fixedIn },
  { header: "Updated", value: ({ updateTime }) => updateTime },
  { header: "UID", value: ({ uid }) => uid, wide: true },
  { header: "Artifact type", value: ({ artifactType }) => artifactType, wide: true },
  { header: "Architecture", value: ({ artifactArchitecture }) => artifactArchitecture, wide: true },
  { header: "Component type", value: ({ componentType }) => componentType, wide: true },
  { header: "Location", value: ({ componentLocation }) => componentLocation, wide: true },
  {
    header: "Severities",
    value: ({ severities }) => severities.map(({ score }) => score),
    wide: true,
  },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

/** Of one advisory, also what happened, in order. */
export const ADVISORY_DETAILS: readonly Column<Advisory>[] = [
  ...ADVISORY_COLUMNS,
  {
    header: "Events",
    value: ({ events }) =>
      events
        .toSorted((a, b) => timeOf(a) - timeOf(b))
        .map((event) => `${textOf(event.createTime)} ${kindOf(event)} (${reviewOf(event)})`),
  },
];
