import { command, define, group } from "../../command/definition.ts";
import { completeOf } from "../../resolve/choices.ts";
import { FOLDER, GROUP } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf, DESCRIPTION, PARENT } from "../../resource/options.ts";
import { GROUP_UPDATE } from "./options.ts";

const load = () => import("./run.ts");
const argument = argumentOf(
  "folder",
  FOLDER,
  "Name, path such as acme/platform, or UID of the folder",
);

export const createDefinition = define({
  name: "create",
  summary: "Create a folder",
  examples: [{ command: "wharf iam folders create platform --parent acme" }],
  arguments: [{ name: "name", summary: "Name of the folder", required: true }],
  options: { parent: PARENT, description: DESCRIPTION },
});

export const updateDefinition = define({
  name: "update",
  summary: "Update a folder's name, description or quotas",
  examples: [
    { command: "wharf iam folders update acme/platform --name infrastructure" },
    { command: "wharf iam folders update acme/platform --limit idps=0" },
  ],
  arguments: [argument],
  options: GROUP_UPDATE,
});

const verbs = resourceCommands(async () => (await load()).folders, {
  list: {
    summary: "List folders",
    examples: [
      { command: "wharf iam folders list acme -o tree" },
      { command: "wharf iam folders list acme --no-recursive", shows: "only direct children" },
    ],
    arguments: [
      {
        name: "parent",
        summary: "Name or UID of the parent group (default: default.group, or all folders)",
        complete: completeOf(GROUP),
      },
    ],
    scope: { recursive: { type: "boolean", default: true, summary: "Include nested folders" } },
  },
  describe: {
    summary: "Show a folder",
    examples: [{ command: "wharf iam folders describe acme/platform" }],
    argument,
  },
  delete: {
    summary: "Delete an empty folder",
    examples: [
      { command: "wharf iam folders delete acme/platform -y", shows: "without confirmation" },
    ],
    argument,
  },
});

export const folders = group({
  name: "folders",
  aliases: ["folder"],
  summary: "Manage folders (groups below organizations)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "createFolder"),
    command(updateDefinition, load, "updateFolder"),
    verbs.delete,
  ],
});
