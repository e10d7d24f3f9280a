import type { Options } from "../command/definition.ts";
import { EVENT_TYPES } from "./events/types.ts";

export const STATUS_CHOICES = [
  "under-investigation",
  "affected",
  "not-affected",
  "pending-upstream-fix",
  "fixed",
  "patched",
  "fix-not-planned",
  "analysis-not-planned",
] as const;

export const REVIEW_CHOICES = ["pending", "approved", "request-changes", "rejected"] as const;

/** Options of `wharf advisories list`. */
export const FILTERS = {
  id: { type: "list", value: "ID", summary: "Only these IDs, such as CGA-xxxx-xxxx-xxxx" },
  alias: {
    type: "list",
    aliases: ["cve"],
    summary: "Only these vulnerabilities, such as CVE-2026-0001",
  },
  artifact: { type: "list", value: "NAME", summary: "Only these artifacts" },
  "artifact-type": {
    type: "list",
    value: "TYPE",
    summary: "Only these artifact types, such as apk or image",
  },
  component: { type: "list", value: "NAME", summary: "Only these components" },
  "component-type": { type: "list", value: "TYPE", summary: "Only these component types" },
  location: { type: "list", value: "PATH", summary: "Only components at these locations" },
  "legacy-id": { type: "list", value: "ID", summary: "Only these legacy IDs" },
  architecture: { type: "list", value: "ARCH", summary: "Only these architectures" },
  origin: { type: "string", value: "PACKAGE", summary: "Only artifacts built from this package" },
  status: {
    type: "choice",
    choices: STATUS_CHOICES,
    summary: "Only this status, by the latest approved event",
  },
  review: {
    type: "choice",
    choices: REVIEW_CHOICES,
    summary: "Only advisories with an event in this review state",
  },
  event: {
    type: "choice",
    choices: EVENT_TYPES,
    summary: "Only advisories with an event of this type",
  },
  author: {
    type: "list",
    value: "IDENTITY",
    summary: "Only advisories with an event by one of these authors",
  },
  "not-author": {
    type: "list",
    value: "IDENTITY",
    summary: "Only advisories without an event by any of these authors",
  },
  reviewer: {
    type: "list",
    value: "IDENTITY",
    summary: "Only advisories with an event reviewed by one of these identities",
  },
  query: {
    type: "string",
    value: "TEXT",
    summary: "Only advisories with this text in an alias, artifact or component name",
  },
  "updated-since": {
    type: "string",
    value: "TIME",
    summary:
      "Only advisories updated since then, including deleted ones: a time such as 2026-01-31, or a duration such as 24h",
  },
  deleted: { type: "boolean", summary: "Include deleted advisories" },
} as const satisfies Options;
