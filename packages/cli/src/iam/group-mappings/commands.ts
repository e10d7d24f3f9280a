import { command, define, group, type Options } from "../../command/definition.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { IDENTITY_PROVIDER, ROLE } from "../../resolve/kinds.ts";
import { DELETE, resourceCommands } from "../../resource/commands.ts";
import { UNNAMED_BY_SERVER } from "../../resource/options.ts";

const load = () => import("./run.ts");

const PROVIDER = {
  type: "string",
  aliases: ["idp", "identity-provider"],
  value: "PROVIDER",
  summary: "Identity provider: name or UID",
  complete: completeOf(IDENTITY_PROVIDER),
} as const;

export const FILTERS = { provider: PROVIDER } as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Grant a role to the members of an identity provider's group while they are signed in",
  description:
    "The role applies to the whole organization. A mapping cannot be updated: delete it and create another.",
  examples: [
    {
      command: "wharf iam group-mappings create --provider sso --external-group devs --role viewer",
    },
  ],
  options: {
    provider: { ...PROVIDER, required: true, pick: pickOf(IDENTITY_PROVIDER) },
    "external-group": {
      type: "string",
      aliases: ["external-group-id", "group"],
      value: "ID",
      summary: "Group, as the provider's tokens name it",
      required: true,
    },
    role: {
      type: "string",
      value: "ROLE",
      summary: "Role: name or UID",
      required: true,
      complete: completeOf(ROLE),
      pick: pickOf(ROLE),
    },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete mappings, which revokes their roles at once",
  examples: [
    { command: "wharf iam group-mappings delete UID" },
    { command: "wharf iam group-mappings delete --all --provider sso -y" },
  ],
  arguments: [{ name: "mappings", summary: "UIDs of mappings", variadic: true }],
  options: {
    all: { type: "boolean", summary: "All mappings of the identity provider" },
    provider: PROVIDER,
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List mappings",
    examples: [{ command: "wharf iam group-mappings list --provider sso" }],
    filters: FILTERS,
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show a mapping",
    examples: [{ command: "wharf iam group-mappings describe UID" }],
    argument: { name: "mapping", summary: "UID of the mapping", required: true },
  },
});

export const groupMappings = group({
  name: "group-mappings",
  aliases: ["group-mapping", "external-group-role-mappings", "external-group-role-mapping"],
  summary: "Manage group mappings (roles granted by groups of an identity provider)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(deleteDefinition, load, "deleteMappings"),
  ],
});
