import { command, define, group, type Options } from "../../command/definition.ts";
import { completeCapabilities } from "../../resolve/choices.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { LIST, resourceCommands } from "../../resource/commands.ts";
import {
  argumentOf,
  argumentsOf,
  DESCRIPTION,
  listOptions,
  NAME,
  NAME_FILTERS,
  PARENT,
} from "../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("role", ROLE);

const CAPABILITIES = {
  type: "list",
  value: "CAPABILITY",
  complete: completeCapabilities,
} as const;

export const FILTERS = {
  managed: { type: "boolean", summary: "Only built-in roles" },
  custom: { type: "boolean", summary: "Only custom roles" },
  ...NAME_FILTERS,
  capabilities: { ...CAPABILITIES, summary: "Only roles with all of these capabilities" },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Create a custom role",
  description: "You must hold all capabilities of the role.",
  examples: [
    {
      command:
        "wharf iam roles create deployer --parent acme --capabilities repo.list,repo.blobs.get",
    },
  ],
  arguments: [{ name: "name", summary: "Name of the role", required: true }],
  options: {
    parent: PARENT,
    capabilities: { ...CAPABILITIES, summary: "Capabilities of the role", required: true },
    description: DESCRIPTION,
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a custom role",
  description: "Changes take effect at once for all identities bound to the role.",
  examples: [
    { command: "wharf iam roles update deployer --add tag.list --remove repo.blobs.get" },
    {
      command: "wharf iam roles update deployer --capabilities repo.list",
      shows: "replace all capabilities",
    },
  ],
  arguments: [argument],
  options: {
    name: NAME,
    description: DESCRIPTION,
    capabilities: { ...CAPABILITIES, summary: "Replace all capabilities" },
    add: { ...CAPABILITIES, aliases: ["add-capabilities"], summary: "Capabilities to add" },
    remove: {
      ...CAPABILITIES,
      aliases: ["remove-capabilities"],
      summary: "Capabilities to remove",
    },
  },
});

export const capabilitiesDefinition = define({
  ...LIST,
  summary: "List all capabilities",
  examples: [
    { command: "wharf iam roles capabilities list" },
    { command: "wharf iam roles capabilities list --resources repo,tag --actions list -o id" },
  ],
  options: {
    resources: { type: "list", value: "RESOURCE", summary: "Only capabilities on these resources" },
    actions: { type: "list", value: "ACTION", summary: "Only capabilities for these actions" },
    ...listOptions(),
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List built-in and custom roles",
    examples: [
      { command: "wharf iam roles list" },
      { command: "wharf iam roles list --custom --parent acme" },
      {
        command: "wharf iam roles list --capabilities repo.blobs.get -o id",
        shows: "roles that can pull",
      },
    ],
    filters: FILTERS,
  },
  describe: {
    summary: "Show a role and its capabilities",
    examples: [{ command: "wharf iam roles describe registry.pull" }],
    argument,
  },
  delete: {
    summary: "Delete roles without bindings",
    examples: [{ command: "wharf iam roles delete deployer -y", shows: "without confirmation" }],
    argument: { ...argumentsOf("roles", ROLE), required: true },
  },
});

export const roles = group({
  name: "roles",
  aliases: ["role"],
  summary: "Manage roles (named sets of capabilities)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    verbs.delete,
    group({
      name: "capabilities",
      aliases: ["capability"],
      summary: "Show the capabilities that roles consist of",
      commands: [command(capabilitiesDefinition, load, "listCapabilities")],
    }),
  ],
});
