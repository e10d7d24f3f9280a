import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeCapabilities } from "../../resolve/complete-capabilities.ts";
import {
  DESCRIPTION,
  NAME,
  PARENT,
  ROLE_ARGUMENT,
  ROLE_ARGUMENTS,
  WITHIN,
} from "../../resource/options.ts";

const capabilityList = {
  type: "list",
  value: "CAPABILITY",
  complete: completeCapabilities,
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List roles: those built in, and those that groups made for themselves",
  examples: [
    { command: "wharf iam roles list" },
    { command: "wharf iam roles list --custom --parent acme" },
    {
      command: "wharf iam roles list --capabilities repo.blobs.get -o id",
      shows: "roles that can pull",
    },
  ],
  options: {
    managed: { type: "boolean", summary: "Only those that are built in" },
    custom: { type: "boolean", summary: "Only those that groups made" },
    name: { type: "string", summary: "Only those with this name" },
    capabilities: { ...capabilityList, summary: "Only those that have all of these" },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one role, and everything it can do",
  examples: [{ command: "wharf iam roles describe registry.pull" }],
  arguments: [ROLE_ARGUMENT],
});

export const createDefinition = define({
  name: "create",
  summary: "Create a role of your own",
  description: "You must hold everything that it will be able to do.",
  examples: [
    {
      command:
        "wharf iam roles create deployer --parent acme --capabilities repo.list,repo.blobs.get",
    },
  ],
  arguments: [{ name: "name", summary: "Name of the role", required: true }],
  options: {
    parent: PARENT,
    capabilities: { ...capabilityList, summary: "What it can do", required: true },
    description: DESCRIPTION,
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change what a role is called or can do",
  description: "What changes is felt at once by everyone who is bound to it.",
  examples: [
    { command: "wharf iam roles update deployer --add tag.list --remove repo.blobs.get" },
    { command: "wharf iam roles update deployer --capabilities repo.list", shows: "exactly these" },
  ],
  arguments: [ROLE_ARGUMENT],
  options: {
    name: NAME,
    description: DESCRIPTION,
    capabilities: { ...capabilityList, summary: "What it can do from now on, and nothing else" },
    add: { ...capabilityList, aliases: ["add-capabilities"], summary: "What else it can do" },
    remove: {
      ...capabilityList,
      aliases: ["remove-capabilities"],
      summary: "What it can do no longer",
    },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete roles that nobody is bound to",
  examples: [{ command: "wharf iam roles delete deployer -y", shows: "without asking" }],
  arguments: [ROLE_ARGUMENTS],
});

export const capabilitiesDefinition = define({
  ...LIST,
  summary: "List everything that roles can be made of",
  examples: [
    { command: "wharf iam roles capabilities list" },
    { command: "wharf iam roles capabilities list --resources repo,tag --actions list -o id" },
  ],
  options: {
    resources: { type: "list", value: "RESOURCE", summary: "Only those on these" },
    actions: { type: "list", value: "ACTION", summary: "Only those that do this" },
  },
});

export const roles = group({
  name: "roles",
  aliases: ["role"],
  summary: "Manage roles: named sets of capabilities",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
    group({
      name: "capabilities",
      aliases: ["capability"],
      summary: "See what roles can be made of",
      commands: [command(capabilitiesDefinition, () => import("./capabilities.ts"))],
    }),
  ],
});
