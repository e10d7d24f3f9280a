import { command, define, group } from "../command/definition.ts";
import { DESCRIBE, LIST } from "../command/verbs.ts";
import { WITHIN } from "../resource/options.ts";
import { events } from "./events/commands.ts";
import { TYPES } from "./events/types.ts";
import { exportDefinition } from "./export/definition.ts";
import { importDefinition } from "./import/definition.ts";
import { ADVISORY, WRITING } from "./writing.ts";

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

export const listDefinition = define({
  ...LIST,
  summary: "List advisories",
  examples: [
    { command: "wharf advisories list --alias CVE-2026-0001" },
    { command: "wharf advisories list --artifact openssl --status fixed -o json" },
    { command: "wharf advisories list --review pending", shows: "What waits for a review" },
  ],
  options: {
    id: { type: "list", value: "ID", summary: "Only these, such as CGA-xxxx-xxxx-xxxx" },
    alias: {
      type: "list",
      aliases: ["cve"],
      summary: "Only those of these vulnerabilities, such as CVE-2026-0001",
    },
    artifact: { type: "list", value: "NAME", summary: "Only those of these artifacts" },
    "artifact-type": {
      type: "list",
      value: "TYPE",
      summary: "Only those of these kinds of artifacts, such as apk or image",
    },
    component: { type: "list", value: "NAME", summary: "Only those of these components" },
    "component-type": {
      type: "list",
      value: "TYPE",
      summary: "Only those of these kinds of components",
    },
    location: { type: "list", value: "PATH", summary: "Only those of components at these places" },
    "legacy-id": { type: "list", value: "ID", summary: "Only those that were called so before" },
    architecture: { type: "list", value: "ARCH", summary: "Only those for these architectures" },
    origin: { type: "string", value: "PACKAGE", summary: "Only those of what is built from this" },
    status: {
      type: "choice",
      choices: STATUS_CHOICES,
      summary: "Only those that stand like this, by their latest approved event",
    },
    review: {
      type: "choice",
      choices: REVIEW_CHOICES,
      summary: "Only those with an event in this state of review",
    },
    event: { type: "choice", choices: TYPES, summary: "Only those with an event of this type" },
    author: { type: "list", value: "IDENTITY", summary: "Only those with an event by one of them" },
    "not-author": {
      type: "list",
      value: "IDENTITY",
      summary: "Only those without any event by one of them",
    },
    reviewer: {
      type: "list",
      value: "IDENTITY",
      summary: "Only those with an event that one of them reviewed",
    },
    query: {
      type: "string",
      value: "TEXT",
      summary: "Only those with this in an alias or the name of an artifact or component",
    },
    "updated-since": {
      type: "string",
      value: "TIME",
      summary:
        "Only those changed since then, deleted ones too: 2026-01-31, or a length of time such as 24h",
    },
    deleted: { type: "boolean", summary: "Also those that were deleted" },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one advisory, and what happened to it",
  examples: [{ command: "wharf advisories describe CGA-xxxx-xxxx-xxxx" }],
  arguments: [ADVISORY],
});

export const advisories = group({
  name: "advisories",
  aliases: ["advisory"],
  summary: "See and write advisories: what is known of vulnerabilities in artifacts",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(importDefinition, () => import("./import/import.ts")),
    command(exportDefinition, () => import("./export/export.ts")),
    events,
    ...WRITING,
  ],
});
