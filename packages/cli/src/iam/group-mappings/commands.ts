import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { IDENTITY_PROVIDER, ROLE } from "../../resolve/kinds.ts";
import { WITHIN } from "../../resource/options.ts";

const provider = {
  type: "string",
  aliases: ["idp", "identity-provider"],
  value: "PROVIDER",
  summary: "The identity provider: its name or uid",
  complete: completeOf(IDENTITY_PROVIDER),
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List mappings",
  examples: [{ command: "wharf iam group-mappings list --provider sso" }],
  options: { provider, ...WITHIN },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one mapping",
  examples: [{ command: "wharf iam group-mappings describe UID" }],
  arguments: [{ name: "mapping", summary: "Uid of the mapping", required: true }],
});

export const createDefinition = define({
  name: "create",
  summary: "Give everyone in a group of an identity provider a role, while they are logged in",
  description:
    "The role holds in the whole organization. A mapping cannot be changed: delete it, and create another.",
  examples: [
    {
      command: "wharf iam group-mappings create --provider sso --external-group devs --role viewer",
    },
  ],
  options: {
    provider: { ...provider, required: true, pick: pickOf(IDENTITY_PROVIDER) },
    "external-group": {
      type: "string",
      aliases: ["external-group-id", "group"],
      value: "ID",
      summary: "The group as the provider names it in its tokens",
      required: true,
    },
    role: {
      type: "string",
      value: "ROLE",
      summary: "The role: its name or uid",
      required: true,
      complete: completeOf(ROLE),
      pick: pickOf(ROLE),
    },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete mappings: whoever is logged in by one loses its role at once",
  examples: [
    { command: "wharf iam group-mappings delete UID" },
    { command: "wharf iam group-mappings delete --all --provider sso -y" },
  ],
  arguments: [{ name: "mappings", summary: "Uids of mappings", variadic: true }],
  options: { all: { type: "boolean", summary: "All of the identity provider" }, provider },
});

export const groupMappings = group({
  name: "group-mappings",
  aliases: ["group-mapping", "external-group-role-mappings", "external-group-role-mapping"],
  summary: "Manage mappings: which roles groups of an identity provider give",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
