import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeGroup, pickGroup } from "../../resolve/group-choices.ts";
import { DESCRIPTION, GROUP_CHANGES } from "../../resource/options.ts";

const organization = {
  name: "organization",
  summary: "Name or uid of the organization",
  required: true,
  complete: completeGroup("organization"),
  pick: pickGroup("organization"),
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List organizations",
  description: "With -o tree, also the folders below them.",
  examples: [
    { command: "wharf iam organizations list" },
    { command: "wharf iam organizations list -o id", shows: "uids alone, for scripts" },
    { command: "wharf iam organizations list --format '{{.name}} {{.createTime}}'" },
  ],
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one organization",
  examples: [{ command: "wharf iam organizations describe acme -o yaml" }],
  arguments: [organization],
});

export const createDefinition = define({
  name: "create",
  summary: "Create an organization, and own it",
  examples: [{ command: "wharf iam organizations create acme --description 'Everything of ours'" }],
  arguments: [{ name: "name", summary: "Name of the organization", required: true }],
  options: { description: DESCRIPTION },
});

export const updateDefinition = define({
  name: "update",
  summary: "Rename, describe, limit or verify an organization",
  examples: [
    { command: "wharf iam organizations update acme --description ''" },
    { command: "wharf iam organizations update acme --limit repositories=100" },
    {
      command: "wharf iam organizations update acme.example --verified yes",
      shows: "its name now stands for it in paths of images, and at logins",
    },
  ],
  arguments: [organization],
  options: {
    ...GROUP_CHANGES,
    verified: {
      type: "choice",
      choices: ["yes", "no"],
      summary: "Whether it is known to be who its name says. For the operator",
    },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete an organization that has nothing in it",
  examples: [{ command: "wharf iam organizations delete acme -y", shows: "without asking" }],
  arguments: [organization],
});

export const organizations = group({
  name: "organizations",
  aliases: ["organization", "orgs", "org"],
  summary: "Manage organizations: the groups that have nothing above them",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
