import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeGroup, pickGroup } from "../../resolve/group-choices.ts";
import { DESCRIPTION, GROUP_CHANGES, PARENT } from "../../resource/options.ts";

const folder = {
  name: "folder",
  summary: "Name, path of names such as acme/platform, or uid of the folder",
  required: true,
  complete: completeGroup("folder"),
  pick: pickGroup("folder"),
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List folders",
  examples: [
    { command: "wharf iam folders list acme -o tree" },
    { command: "wharf iam folders list acme --no-recursive", shows: "only those directly below" },
  ],
  arguments: [
    {
      name: "parent",
      summary: "Name or uid of what to look below; default.group or everything otherwise",
      complete: completeGroup("group"),
    },
  ],
  options: {
    recursive: { type: "boolean", default: true, summary: "Also folders of folders" },
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one folder",
  examples: [{ command: "wharf iam folders describe acme/platform" }],
  arguments: [folder],
});

export const createDefinition = define({
  name: "create",
  summary: "Create a folder",
  examples: [{ command: "wharf iam folders create platform --parent acme" }],
  arguments: [{ name: "name", summary: "Name of the folder", required: true }],
  options: {
    parent: PARENT,
    description: DESCRIPTION,
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Rename, describe or limit a folder",
  examples: [
    { command: "wharf iam folders update acme/platform --name infrastructure" },
    { command: "wharf iam folders update acme/platform --limit idps=0" },
  ],
  arguments: [folder],
  options: GROUP_CHANGES,
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete a folder that has nothing in it",
  examples: [{ command: "wharf iam folders delete acme/platform -y", shows: "without asking" }],
  arguments: [folder],
});

export const folders = group({
  name: "folders",
  aliases: ["folder"],
  summary: "Manage folders: the groups below organizations",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
