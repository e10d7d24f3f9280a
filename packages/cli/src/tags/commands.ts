import { command, define, group } from "../command/definition.ts";
import { DESCRIBE, LIST } from "../command/verbs.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { WITHIN } from "../resource/options.ts";

export const listDefinition = define({
  ...LIST,
  summary: "List tags",
  description:
    "Tags that attach things to images, and those that end in a day or a build, are left out unless asked for.",
  examples: [
    { command: "wharf tags list --repo acme/app" },
    { command: "wharf tags list --repo acme/app --updated-since 7d --show-dates" },
  ],
  options: {
    repo: {
      type: "string",
      summary: "Only those of this repo: its name or uid",
      complete: completeOf(REPO),
    },
    name: { type: "string", summary: "Only those with this name" },
    digest: { type: "string", summary: "Only those of this image" },
    "show-referrers": { type: "boolean", summary: "Also those such as sha256-….sig" },
    "show-dates": { type: "boolean", summary: "Also those that end in a day, such as -20260801" },
    "show-epochs": { type: "boolean", summary: "Also those that end in a build, such as -r3" },
    "updated-since": {
      type: "string",
      value: "TIME",
      summary: "Only those that changed since then: a time, or a length of time",
    },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one tag",
  examples: [{ command: "wharf tags describe acme/app:latest" }],
  arguments: [
    {
      name: "tag",
      summary: "Uid of the tag, or its repo and name: acme/app:latest",
      required: true,
    },
  ],
  options: {
    repo: {
      type: "string",
      summary: "The repo that it is in, when TAG is its name alone",
      complete: completeOf(REPO),
    },
  },
});

export const tags = group({
  name: "tags",
  aliases: ["tag"],
  summary: "See tags: names for images of a repo",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
  ],
});
