import { command, define, group, type Options } from "../../command/definition.ts";
import { completeOf } from "../../resolve/choices.ts";
import { FOLDER, GROUP, ORGANIZATION } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf, DESCRIPTION, NAME, NAME_FILTERS, PARENT } from "../../resource/options.ts";

/** Options that update organizations and folders. */
const GROUP_UPDATE = {
  name: NAME,
  description: DESCRIPTION,
  limit: {
    type: "list",
    value: "NAME=NUMBER",
    summary:
      "Quota of repositories, tags, registry_mb (stored MB), idps, subscriptions or subscriptions_per_sink, including folders below; no number restores the default (operator only)",
  },
} as const satisfies Options;

const load = () => import("./run.ts");
const organization = argumentOf("organization", ORGANIZATION, "Name or UID of the organization");

export const createOrganizationDefinition = define({
  writes: true,
  name: "create",
  summary: "Create an organization and become its owner",
  examples: [{ command: "wharf iam organizations create acme --description 'Everything of ours'" }],
  arguments: [{ name: "name", summary: "Name of the organization", required: true }],
  options: { description: DESCRIPTION },
});

export const updateOrganizationDefinition = define({
  writes: true,
  name: "update",
  summary: "Update an organization's name, description, quotas or verification",
  examples: [
    { command: "wharf iam organizations update acme --description ''" },
    { command: "wharf iam organizations update acme --limit repositories=100" },
    {
      command: "wharf iam organizations update acme.example --verified yes",
      shows: "allow its name in image paths and at sign-in",
    },
  ],
  arguments: [organization],
  options: {
    ...GROUP_UPDATE,
    verified: {
      type: "choice",
      choices: ["yes", "no"],
      summary: "Whether the organization owns its name (operator only)",
    },
  },
});

export const organizationSettingsDefinition = define({
  writes: true,
  name: "settings",
  summary: "Show or change what an organization requires of everything in it",
  description: `Where siblings must differ, the server rejects a folder or identity with the name of another one in its group,
and a role binding of the same identity and role as another one. Twins that exist already stay.`,
  examples: [
    { command: "wharf iam organizations settings acme" },
    { command: "wharf iam organizations settings acme --unique-siblings yes" },
  ],
  arguments: [organization],
  options: {
    "unique-siblings": {
      type: "choice",
      choices: ["yes", "no"],
      summary: "Whether siblings must differ",
    },
  },
});

const organizationVerbs = resourceCommands(async () => (await load()).organizations, {
  list: {
    summary: "List organizations",
    description: "With -o tree, includes the folders below them.",
    examples: [
      { command: "wharf iam organizations list" },
      { command: "wharf iam organizations list -o id", shows: "only UIDs, for scripts" },
      { command: "wharf iam organizations list --jq '.items[].name'" },
    ],
    filters: NAME_FILTERS,
    scope: {},
  },
  describe: {
    summary: "Show an organization",
    examples: [{ command: "wharf iam organizations describe acme -o yaml" }],
    argument: organization,
  },
  delete: {
    summary: "Delete an empty organization",
    examples: [
      { command: "wharf iam organizations delete acme -y", shows: "without confirmation" },
    ],
    argument: organization,
  },
});

export const organizations = group({
  name: "organizations",
  aliases: ["organization", "orgs", "org"],
  summary: "Manage organizations (top-level groups)",
  commands: [
    organizationVerbs.list,
    organizationVerbs.describe,
    command(createOrganizationDefinition, load, "createOrganization"),
    command(updateOrganizationDefinition, load, "updateOrganization"),
    command(organizationSettingsDefinition, () => import("./settings.ts"), "settings"),
    organizationVerbs.delete,
  ],
});

const folder = argumentOf(
  "folder",
  FOLDER,
  "Name, path such as acme/platform, or UID of the folder",
);

export const createFolderDefinition = define({
  writes: true,
  name: "create",
  summary: "Create a folder",
  examples: [{ command: "wharf iam folders create platform --parent acme" }],
  arguments: [{ name: "name", summary: "Name of the folder", required: true }],
  options: { parent: PARENT, description: DESCRIPTION },
});

export const updateFolderDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a folder's name, description or quotas",
  examples: [
    { command: "wharf iam folders update acme/platform --name infrastructure" },
    { command: "wharf iam folders update acme/platform --limit idps=0" },
  ],
  arguments: [folder],
  options: GROUP_UPDATE,
});

const folderVerbs = resourceCommands(async () => (await load()).folders, {
  list: {
    summary: "List folders",
    examples: [
      { command: "wharf iam folders list acme -o tree" },
      { command: "wharf iam folders list acme --no-recursive", shows: "only direct children" },
      { command: "wharf iam folders list --name-prefix team-", shows: "team-a, team-b, …" },
    ],
    arguments: [
      {
        name: "parent",
        summary: "Name or UID of the parent group (default: default.group, or all folders)",
        complete: completeOf(GROUP),
      },
    ],
    filters: NAME_FILTERS,
    scope: { recursive: { type: "boolean", default: true, summary: "Include nested folders" } },
  },
  describe: {
    summary: "Show a folder",
    examples: [{ command: "wharf iam folders describe acme/platform" }],
    argument: folder,
  },
  delete: {
    summary: "Delete an empty folder",
    examples: [
      { command: "wharf iam folders delete acme/platform -y", shows: "without confirmation" },
    ],
    argument: folder,
  },
});

export const folders = group({
  name: "folders",
  aliases: ["folder"],
  summary: "Manage folders (groups below organizations)",
  commands: [
    folderVerbs.list,
    folderVerbs.describe,
    command(createFolderDefinition, load, "createFolder"),
    command(updateFolderDefinition, load, "updateFolder"),
    folderVerbs.delete,
  ],
});
