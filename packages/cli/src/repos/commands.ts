import { command, define, group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { DELETE, resourceCommands } from "../resource/commands.ts";
import {
  argumentOf,
  argumentsOf,
  DESCRIPTION,
  listOptions,
  NAME,
  NAME_FILTERS,
  PARENT,
} from "../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("repo", REPO, "Name, path such as acme/app, or UID of the repo");

const METADATA = {
  tier: {
    type: "choice",
    choices: ["application", "base", "fips", "ai", "devtools", "commercial"],
    summary: "Catalog tier",
  },
  bundles: { type: "list", value: "BUNDLE", summary: "Bundles that contain the repo" },
  aliases: { type: "list", value: "REF", summary: "Other references to the same images" },
  "active-tags": { type: "list", value: "TAG", summary: "Tags that are kept up to date" },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
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
    ...METADATA,
    "sync-from": {
      type: "string",
      value: "REPO",
      summary: "Source repo to sync from: name or UID",
      complete: completeOf(REPO),
    },
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a repo",
  examples: [{ command: "wharf repos update acme/app --description 'The app'" }],
  arguments: [argument],
  options: { name: NAME, description: DESCRIPTION, ...METADATA },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List repos",
    examples: [
      { command: "wharf repos list --parent acme" },
      { command: "wharf repos list -o tree" },
    ],
    filters: NAME_FILTERS,
  },
  describe: {
    summary: "Show a repo",
    examples: [{ command: "wharf repos describe acme/app" }],
    argument,
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete repos",
  description: `Images stay in the registries unless --images is given. A repo whose images stay comes back when something is
pushed to it.`,
  examples: [
    { command: "wharf repos delete acme/app" },
    { command: "wharf repos delete acme/app --images", shows: "with its images" },
  ],
  arguments: [{ ...argumentsOf("repos", REPO), required: true }],
  options: {
    images: {
      type: "boolean",
      summary: "Also delete the images in the attached registries, before the repo",
    },
  },
});

export const locationsDefinition = define({
  name: "locations",
  summary: "Show where registries have the images of a repo",
  examples: [{ command: "wharf repos locations acme/app" }],
  arguments: [argument],
  options: listOptions(),
});

export const repos = group({
  name: "repos",
  aliases: ["repo"],
  summary: "Manage image repositories",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    command(deleteDefinition, () => import("./delete.ts"), "remove"),
    command(locationsDefinition, load, "locations"),
  ],
});
