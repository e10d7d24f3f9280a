import { command, define, group } from "../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../command/verbs.ts";
import { completeOf, pickOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { DESCRIPTION, NAME, PARENT, WITHIN } from "../resource/options.ts";

const repo = {
  name: "repo",
  summary: "Name, path of names such as acme/app, or uid of the repo",
  required: true,
  complete: completeOf(REPO),
  pick: pickOf(REPO),
} as const;

const CONTENT = {
  tier: {
    type: "choice",
    choices: ["application", "base", "fips", "ai", "devtools", "commercial"],
    summary: "Its tier in the catalog",
  },
  bundles: { type: "list", value: "BUNDLE", summary: "The bundles that it belongs to" },
  aliases: { type: "list", value: "REF", summary: "Other references to the same images" },
  "active-tags": { type: "list", value: "TAG", summary: "Tags that are kept up to date" },
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List repos",
  examples: [
    { command: "wharf repos list --parent acme" },
    { command: "wharf repos list -o tree" },
  ],
  options: { name: { type: "string", summary: "Only those with this name" }, ...WITHIN },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one repo",
  examples: [{ command: "wharf repos describe acme/app" }],
  arguments: [repo],
});

export const createDefinition = define({
  name: "create",
  summary: "Create a repo",
  examples: [
    { command: "wharf repos create app --parent acme --tier application" },
    { command: "wharf repos create nginx --parent acme --sync-from catalog/nginx" },
  ],
  arguments: [{ name: "name", summary: "Name of the repo", required: true }],
  options: {
    parent: PARENT,
    description: DESCRIPTION,
    ...CONTENT,
    "sync-from": {
      type: "string",
      value: "REPO",
      summary: "The repo that its images come from: name or uid",
      complete: completeOf(REPO),
    },
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change a repo",
  examples: [{ command: "wharf repos update acme/app --description 'The app'" }],
  arguments: [repo],
  options: { name: NAME, description: DESCRIPTION, ...CONTENT },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete repos",
  examples: [{ command: "wharf repos delete acme/app" }],
  arguments: [{ ...repo, name: "repos", summary: "Names or uids of repos", variadic: true }],
});

export const repos = group({
  name: "repos",
  aliases: ["repo"],
  summary: "Manage repos: they hold the images of a group",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
