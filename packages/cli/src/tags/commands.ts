import {
  type Argument,
  command,
  define,
  group,
  type Option,
  type Options,
} from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { listOptions, NAME_FILTERS, NAMED_BY_SERVER } from "../resource/options.ts";

export const FILTERS = {
  repo: {
    type: "string",
    summary: "Only tags of this repo: name or UID",
    complete: completeOf(REPO),
  },
  ...NAME_FILTERS,
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

const TAG = {
  name: "tag",
  summary: "UID of the tag, or repo and name, such as acme/app:latest",
  required: true,
} as const satisfies Argument;

const REPO_OF_TAG = {
  type: "string",
  summary: "Repo of the tag, if TAG is only its name",
  complete: completeOf(REPO),
} as const satisfies Option;

const load = () => import("./run.ts");

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List tags",
    description:
      "Omits referrers and tags with a date or build suffix by default. Tags are ordered by repo and version (1.9, 1.10, 2.0-rc1, 2.0); --sort name is the order of the letters, by the server.",
    examples: [
      { command: "wharf tags list --repo acme/app" },
      { command: "wharf tags list --repo acme/app --updated-since 7d --show-dates" },
    ],
    filters: FILTERS,
    byServer: { ...NAMED_BY_SERVER, filter: ["name", "digest"] },
  },
  describe: {
    summary: "Show a tag",
    examples: [{ command: "wharf tags describe acme/app:latest" }],
    argument: TAG,
    options: { repo: REPO_OF_TAG },
  },
  delete: {
    summary: "Delete tags, here and in the attached registries",
    description: `The images stay. CNCF Distribution 2.8 cannot delete a tag without its image; then nothing is deleted, and
\`wharf images delete\` deletes the image with its tags.`,
    examples: [{ command: "wharf tags delete acme/app:old acme/app:older" }],
    argument: {
      name: "tags",
      summary: "UIDs of tags, or repos and names, such as acme/app:latest",
      required: true,
      variadic: true,
    },
  },
});

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Create or move a tag, here and in the attached registries",
  description:
    "An attached registry that has the repo must have the image. Moving a tag requires tag.update.",
  examples: [
    { command: "wharf tags create acme/app:stable --digest sha256:…" },
    {
      command: "wharf tags create acme/app:stable --from latest",
      shows: "with the image of latest",
    },
  ],
  arguments: [{ name: "tag", summary: "Repo and name, such as acme/app:latest", required: true }],
  options: {
    digest: { type: "string", value: "DIGEST", summary: "Image of the tag" },
    from: { type: "string", value: "TAG", summary: "Tag of the same repo whose image it gets" },
    deprecated: { type: "boolean", summary: "Mark as no longer kept up to date" },
    bundles: { type: "list", value: "BUNDLE", summary: "Bundles that contain the tag" },
  },
});

export const historyDefinition = define({
  name: "history",
  summary: "Show the images that a tag has had, newest first",
  examples: [{ command: "wharf tags history acme/app:latest" }],
  arguments: [TAG],
  options: { repo: REPO_OF_TAG, ...listOptions() },
});

export const deletedDefinition = define({
  name: "deleted",
  summary: "List the deleted tags of a repo that can be restored",
  examples: [{ command: "wharf tags deleted acme/app" }],
  arguments: [{ name: "repo", summary: "Repo: name or UID", required: true }],
  options: listOptions(),
});

export const protectDefinition = define({
  writes: true,
  name: "protect",
  summary: "Protect a tag: nobody can delete it, nor does retention",
  description: `Creates a rule of the repo with the name of the tag. A pattern such as acme/app:v* protects all tags that
match it. The API has rules of groups, too.`,
  examples: [
    { command: "wharf tags protect acme/app:stable" },
    { command: "wharf tags protect 'acme/app:v*' --immutable", shows: "nor can they move" },
  ],
  arguments: [TAG],
  options: {
    repo: REPO_OF_TAG,
    immutable: { type: "boolean", summary: "It cannot move to another image either" },
  },
});

export const unprotectDefinition = define({
  writes: true,
  name: "unprotect",
  summary: "Delete the rule of a repo that protects a tag",
  examples: [{ command: "wharf tags unprotect acme/app:stable" }],
  arguments: [TAG],
  options: { repo: REPO_OF_TAG },
});

export const restoreDefinition = define({
  writes: true,
  name: "restore",
  summary: "Restore a deleted tag with its image",
  description: "Possible for some days, 7 by default, in the registry of this server.",
  examples: [{ command: "wharf tags restore acme/app:old" }],
  arguments: [TAG],
  options: { repo: REPO_OF_TAG },
});

export const tags = group({
  name: "tags",
  aliases: ["tag"],
  summary: "Manage tags of images",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(historyDefinition, load, "history"),
    command(protectDefinition, load, "protect"),
    command(unprotectDefinition, load, "unprotect"),
    command(restoreDefinition, load, "restore"),
    command(deletedDefinition, load, "deleted"),
    verbs.delete,
  ],
});
