import { command, define, group } from "../../command/definition.ts";
import { SUBSCRIPTION } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import {
  argumentOf,
  argumentsOf,
  DESCRIPTION,
  NAME,
  NAMED_BY_SERVER,
  PARENT,
} from "../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("subscription", SUBSCRIPTION, "UID of the subscription");

const FILTERS = {
  type: {
    type: "list",
    value: "PATTERN",
    summary: "Only events whose type matches one of these, such as iam.group.*",
  },
  filters: {
    type: "file",
    value: "FILE",
    summary: "Filters in the dialects of CloudEvents, as JSON or YAML",
  },
} as const;

const CONCURRENCY = {
  type: "number",
  summary:
    "Maximum of concurrent requests, from 1 (default) to 64; also of requests repeated after a crash",
} as const;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Send events of a group, and of everything below it, to a URL",
  description: `You must hold the list capabilities of everything whose events can match. Preview filters with
\`wharf events preview\`.`,
  examples: [
    { command: "wharf events subscriptions create https://hooks.example.com/wharf --parent acme" },
    {
      command:
        "wharf events subscriptions create https://hooks.example.com/wharf --parent acme --type 'registry.push.*'",
      shows: "only pushes",
    },
  ],
  arguments: [{ name: "sink", summary: "URL that events are sent to", required: true }],
  options: {
    parent: PARENT,
    name: NAME,
    description: DESCRIPTION,
    ...FILTERS,
    "max-concurrency": CONCURRENCY,
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a subscription",
  description: "From then on it runs with your rights.",
  examples: [{ command: "wharf events subscriptions update UID --type 'iam.*' --type 'auth.*'" }],
  arguments: [argument],
  options: {
    sink: { type: "string", value: "URL", summary: "URL that events are sent to" },
    name: NAME,
    description: DESCRIPTION,
    ...FILTERS,
    "max-concurrency": CONCURRENCY,
  },
});

export const pauseDefinition = define({
  writes: true,
  name: "pause",
  summary: "Hold events back until the subscription is resumed",
  examples: [{ command: "wharf events subscriptions pause UID" }],
  arguments: [argument],
});

export const resumeDefinition = define({
  writes: true,
  name: "resume",
  summary: "Resume a paused or disabled subscription",
  description: `A paused subscription gets what was held back. For a disabled one, \`wharf events redeliver\` sends what
it missed.`,
  examples: [{ command: "wharf events subscriptions resume UID" }],
  arguments: [argument],
});

export const testDefinition = define({
  name: "test",
  summary: "Send a test event and show the answer",
  examples: [{ command: "wharf events subscriptions test UID" }],
  arguments: [argument],
});

export const rotateDefinition = define({
  writes: true,
  name: "rotate-secret",
  summary: "Generate a secret that deliveries are signed with (Standard Webhooks)",
  description: `The secret is printed once. The earlier one signs, too, until the overlap ends. Without a secret,
deliveries are signed with the keys of the installation only.`,
  examples: [
    { command: "wharf events subscriptions rotate-secret UID" },
    {
      command: "wharf events subscriptions rotate-secret UID --remove",
      shows: "no secret any more",
    },
  ],
  arguments: [argument],
  options: {
    overlap: {
      type: "duration",
      default: "24h",
      summary: "How long the earlier secret stays valid",
    },
    remove: { type: "boolean", summary: "Remove all secrets" },
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List subscriptions",
    examples: [{ command: "wharf events subscriptions list --parent acme" }],
    byServer: { ...NAMED_BY_SERVER, filter: [] },
  },
  describe: {
    summary: "Show a subscription, its filters and how its sink does",
    examples: [{ command: "wharf events subscriptions describe UID" }],
    argument,
  },
  delete: {
    summary: "Delete subscriptions",
    examples: [{ command: "wharf events subscriptions delete UID -y" }],
    argument: {
      ...argumentsOf("subscriptions", SUBSCRIPTION, "UIDs of subscriptions"),
      required: true,
    },
  },
});

export const subscriptions = group({
  name: "subscriptions",
  aliases: ["subscription", "subs"],
  summary: "Manage subscriptions (events sent to a URL)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    command(pauseDefinition, load, "pause"),
    command(resumeDefinition, load, "resume"),
    command(testDefinition, load, "test"),
    command(rotateDefinition, load, "rotateSecret"),
    verbs.delete,
  ],
});
