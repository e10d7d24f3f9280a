import { group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { NAME_FILTER } from "../resource/options.ts";

export const FILTERS = {
  repo: {
    type: "string",
    summary: "Only tags of this repo: name or UID",
    complete: completeOf(REPO),
  },
  name: NAME_FILTER,
  digest: { type: "string", summary: "Only tags of this image" },
  "show-referrers": { type: "boolean", summary: "Include referrers, such as sha256-….sig" },
  "show-dates": { type: "boolean", summary: "Include tags with a date suffix, such as -20260801" },
  "show-epochs": { type: "boolean", summary: "Include tags with a build suffix, such as -r3" },
  "updated-since": {
    type: "string",
    value: "TIME",
    summary: "Only tags updated since then: a time or a duration",
  },
} as const satisfies Options;

const verbs = resourceCommands(async () => (await import("./run.ts")).resource, {
  list: {
    summary: "List tags",
    description: "Omits referrers and tags with a date or build suffix by default.",
    examples: [
      { command: "wharf tags list --repo acme/app" },
      { command: "wharf tags list --repo acme/app --updated-since 7d --show-dates" },
    ],
    filters: FILTERS,
  },
  describe: {
    summary: "Show a tag",
    examples: [{ command: "wharf tags describe acme/app:latest" }],
    argument: {
      name: "tag",
      summary: "UID of the tag, or repo and name, such as acme/app:latest",
      required: true,
    },
    options: {
      repo: {
        type: "string",
        summary: "Repo of the tag, if TAG is only its name",
        complete: completeOf(REPO),
      },
    },
  },
});

export const tags = group({
  name: "tags",
  aliases: ["tag"],
  summary: "Show tags of images",
  commands: [verbs.list, verbs.describe],
});
