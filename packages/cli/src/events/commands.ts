import { command, define, group } from "../command/definition.ts";
import { SUBSCRIPTION } from "../resolve/kinds.ts";
import { LIST } from "../resource/commands.ts";
import { argumentOf, listOptions, logOptions, PARENT } from "../resource/options.ts";
import { subscriptions } from "./subscriptions/commands.ts";

const load = () => import("./run.ts");
const loadStream = () => import("./stream.ts");
const argument = argumentOf("subscription", SUBSCRIPTION, "UID of the subscription");

const TYPE = {
  type: "list",
  value: "PATTERN",
  summary: "Only events whose type matches one of these, such as iam.group.*",
} as const;

const SINCE = {
  type: "string",
  value: "TIME",
  summary: "From this time on: a time, or 24h for a day ago",
} as const;

const FILTER_OPTIONS = {
  type: TYPE,
  subject: { type: "string", value: "UID", summary: "Only events about this resource" },
  actor: { type: "string", value: "UID", summary: "Only events that this identity caused" },
  filters: {
    type: "file",
    value: "FILE",
    summary: "Filters in the dialects of CloudEvents, as JSON or YAML",
  },
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List stored events of a group, newest first",
  examples: [
    { command: "wharf events list --parent acme --since 24h" },
    { command: "wharf events list --parent acme --type 'iam.rolebindings.*' -o json" },
  ],
  options: {
    parent: PARENT,
    ...FILTER_OPTIONS,
    since: SINCE,
    until: { type: "string", value: "TIME", summary: "Before this time" },
    ...logOptions(100, "Maximum of events"),
  },
});

export const tailDefinition = define({
  name: "tail",
  summary: "Print events as they happen",
  description:
    "Reconnects by itself, and continues after the last event. With `-o json`, one event per line.",
  examples: [
    { command: "wharf events tail --parent acme" },
    { command: "wharf events tail --parent acme --type 'registry.push.*' -o json" },
  ],
  options: {
    parent: PARENT,
    ...FILTER_OPTIONS,
    last: { type: "number", default: 10, summary: "Begin with this many of the latest events" },
    after: { type: "string", value: "ID", summary: "Begin after this event instead" },
  },
});

export const listenDefinition = define({
  name: "listen",
  summary: "Forward events to a URL on this machine, to develop a receiver",
  description: `Sends what a subscription would send, without its proofs: those are for the receiver's own URL. With --secret,
requests are signed as Standard Webhooks.`,
  examples: [
    { command: "wharf events listen --parent acme --forward http://localhost:3000/events" },
  ],
  options: {
    parent: PARENT,
    ...FILTER_OPTIONS,
    forward: { type: "string", value: "URL", required: true, summary: "Where to send events" },
    secret: {
      type: "string",
      value: "SECRET",
      env: "WHARF_WEBHOOK_SECRET",
      summary: "Secret to sign with: whsec_ and base64",
    },
    after: { type: "string", value: "ID", summary: "Begin after this event" },
  },
});

export const previewDefinition = define({
  name: "preview",
  summary: "Show which stored events filters match, before a subscription is created",
  examples: [{ command: "wharf events preview --parent acme --type 'iam.*' --since 168h" }],
  options: { parent: PARENT, type: TYPE, filters: FILTER_OPTIONS.filters, since: SINCE },
});

export const typesDefinition = define({
  name: "types",
  summary: "List all types of events, with what reading them takes",
  examples: [{ command: "wharf events types" }],
  options: listOptions(),
});

export const deliveriesDefinition = define({
  name: "deliveries",
  summary: "Show the delivery log of a subscription, newest first",
  examples: [
    { command: "wharf events deliveries UID" },
    { command: "wharf events deliveries UID --state failed -o json", shows: "with all attempts" },
  ],
  arguments: [argument],
  options: {
    state: {
      type: "choice",
      choices: ["pending", "delivered", "failed"],
      summary: "Only deliveries in this state",
    },
    event: { type: "string", value: "ID", summary: "Only deliveries of this event" },
    ...logOptions(100, "Maximum of deliveries"),
  },
});

export const redeliverDefinition = define({
  writes: true,
  name: "redeliver",
  summary: "Send events to a subscription again",
  description: "Each is marked with the attribute `replay`. The filters of the subscription apply.",
  examples: [
    { command: "wharf events redeliver UID --event 0193c2a1-5b1e-7c3d-9f00-1234567890ab" },
    { command: "wharf events redeliver UID --since 24h --only-failed" },
  ],
  arguments: [argument],
  options: {
    event: { type: "list", value: "ID", summary: "These events" },
    since: SINCE,
    until: { type: "string", value: "TIME", summary: "Before this time (default: now)" },
    type: TYPE,
    "only-failed": { type: "boolean", summary: "Only events that could not be delivered" },
  },
});

export const events = group({
  name: "events",
  aliases: ["event"],
  summary: "Receive, inspect and replay events",
  commands: [
    subscriptions,
    command(listDefinition, load, "list"),
    command(tailDefinition, loadStream, "tail"),
    command(listenDefinition, loadStream, "listen"),
    command(previewDefinition, load, "preview"),
    command(typesDefinition, load, "types"),
    command(deliveriesDefinition, load, "deliveries"),
    command(redeliverDefinition, load, "redeliver"),
  ],
});
