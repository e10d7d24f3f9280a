import { command, define, group, type Options } from "../../command/definition.ts";
import { LIST } from "../../command/verbs.ts";
import { ADVISORY } from "../writing.ts";
import { REASONS, TYPES } from "./types.ts";

export const listDefinition = define({
  ...LIST,
  summary: "List the events of an advisory, in the order that they happened in",
  examples: [{ command: "wharf advisories events list CGA-xxxx-xxxx-xxxx -o wide" }],
  arguments: [ADVISORY],
});

/** What an event says, but for its type. */
const WORDS = {
  "fixed-version": { type: "string", value: "VERSION", summary: "Where it is fixed" },
  "patched-versions": {
    type: "list",
    value: "VERSION",
    summary: "The versions that were patched",
  },
  reason: { type: "choice", choices: REASONS, summary: "Why it is a false positive" },
  from: { type: "string", value: "PATH", summary: "Where the component was" },
  to: { type: "string", value: "PATH", summary: "Where the component is now" },
  note: { type: "string", value: "TEXT", summary: "What else there is to say" },
  time: {
    type: "string",
    value: "TIME",
    summary: "When it happened, if not now: 2026-01-31, 2026-01-31T12:00:00Z or 2h ago as 2h",
  },
  issue: { type: "string", value: "TICKET", summary: "Where it is discussed" },
  findings: { type: "file", summary: "A file of JSON with what led to it" },
} as const satisfies Options;

export const addDefinition = define({
  name: "add",
  summary: "Add an event to an advisory",
  description: "It counts once someone else has approved it.",
  examples: [
    {
      command:
        "wharf advisories events add CGA-xxxx-xxxx-xxxx --type fixed --fixed-version 3.1.4-r1",
    },
    {
      command:
        "wharf advisories events add CGA-xxxx-xxxx-xxxx --type false-positive-determination --reason inline-mitigations-exist --note 'Built without it'",
    },
  ],
  arguments: [ADVISORY],
  options: {
    type: { type: "choice", choices: TYPES, summary: "What happened", required: true },
    ...WORDS,
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change what an event says, until it is approved or rejected",
  description:
    "It is pending then, also where changes were requested, and whoever changed it is its author.",
  examples: [
    { command: "wharf advisories events update UID --fixed-version 3.1.4-r2" },
    {
      command:
        "wharf advisories events update UID --type pending-upstream-fix --note 'Not before 4.0'",
      shows: "Another type says nothing of what was said before",
    },
  ],
  arguments: [{ name: "event", summary: "Uid of the event", required: true }],
  options: {
    type: { type: "choice", choices: TYPES, summary: "What happened, if not what it says now" },
    ...WORDS,
  },
});

export const events = group({
  name: "events",
  aliases: ["event"],
  summary: "See, add and change events of advisories",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(addDefinition, () => import("./add.ts")),
    command(updateDefinition, () => import("./update.ts")),
  ],
});
