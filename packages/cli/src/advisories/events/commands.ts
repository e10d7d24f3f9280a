import { command, define, group, type Options } from "../../command/definition.ts";
import { LIST } from "../../resource/commands.ts";
import { listOptions } from "../../resource/options.ts";
import { ADVISORY } from "../write-commands.ts";
import { EVENT_TYPES, FALSE_POSITIVE_REASONS } from "./types.ts";

const load = () => import("./run.ts");

export const listDefinition = define({
  ...LIST,
  summary: "List the events of an advisory in chronological order",
  examples: [{ command: "wharf advisories events list CGA-xxxx-xxxx-xxxx -o wide" }],
  arguments: [ADVISORY],
  options: listOptions(),
});

const CONTENT = {
  "fixed-version": { type: "string", value: "VERSION", summary: "Version with the fix" },
  "patched-versions": { type: "list", value: "VERSION", summary: "Patched versions" },
  reason: {
    type: "choice",
    choices: FALSE_POSITIVE_REASONS,
    summary: "Reason for a false positive",
  },
  from: { type: "string", value: "PATH", summary: "Previous location of the component" },
  to: { type: "string", value: "PATH", summary: "New location of the component" },
  note: { type: "string", value: "TEXT", summary: "Note" },
  time: {
    type: "string",
    value: "TIME",
    summary: "Time of the event (default: now): 2026-01-31, 2026-01-31T12:00:00Z, or 2h for 2h ago",
  },
  issue: { type: "string", value: "TICKET", summary: "Issue that tracks it" },
  findings: { type: "file", summary: "JSON file with the findings behind the event" },
} as const satisfies Options;

export const addDefinition = define({
  writes: true,
  name: "add",
  summary: "Add an event to an advisory",
  description: "The event takes effect after someone else has approved it.",
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
    type: { type: "choice", choices: EVENT_TYPES, summary: "Event type", required: true },
    ...CONTENT,
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update an event before it is approved or rejected",
  description: "The event becomes pending again, and you become its author.",
  examples: [
    { command: "wharf advisories events update UID --fixed-version 3.1.4-r2" },
    {
      command:
        "wharf advisories events update UID --type pending-upstream-fix --note 'Not before 4.0'",
      shows: "another type discards the content of the old one",
    },
  ],
  arguments: [{ name: "event", summary: "UID of the event", required: true }],
  options: {
    type: { type: "choice", choices: EVENT_TYPES, summary: "New event type" },
    ...CONTENT,
  },
});

export const events = group({
  name: "events",
  aliases: ["event"],
  summary: "Manage events of advisories",
  commands: [
    command(listDefinition, load, "list"),
    command(addDefinition, load, "add"),
    command(updateDefinition, load, "update"),
  ],
});
