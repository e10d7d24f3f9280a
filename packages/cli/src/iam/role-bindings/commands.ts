import { command, define, group, type Options } from "../../command/definition.ts";
import { completeOf } from "../../resolve/choices.ts";
import { IDENTITY, ROLE, ROLE_BINDING } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf, argumentsOf, PARENT, UNNAMED_BY_SERVER } from "../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("binding", ROLE_BINDING, "UID of the role binding");

export const FILTERS = {
  identity: {
    type: "string",
    value: "IDENTITY",
    summary: "Identity: name, email address or UID",
    complete: completeOf(IDENTITY),
  },
  role: {
    type: "string",
    value: "ROLE",
    summary: "Role: name or UID",
    complete: completeOf(ROLE),
  },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Bind roles to identities in a group and everything below it",
  description: `You must hold all capabilities of the roles.

A file contains a list, in YAML or JSON, of entries with \`identity\` and \`role\`. Bindings are created in
batches of 25; each batch is created completely or not at all.`,
  examples: [
    { command: "wharf iam role-bindings create --identity ci --role registry.pull --parent acme" },
    { command: "wharf iam role-bindings create --file bindings.yaml --parent acme" },
  ],
  options: {
    identity: FILTERS.identity,
    role: { ...FILTERS.role, type: "list", summary: "Roles: names or UIDs" },
    parent: PARENT,
    file: { type: "file", short: "f", summary: "File with role bindings" },
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Change the identity or the role of a role binding",
  examples: [{ command: "wharf iam role-bindings update UID --role editor" }],
  arguments: [argument],
  options: FILTERS,
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List role bindings",
    examples: [
      { command: "wharf iam role-bindings list --parent acme -o tree" },
      { command: "wharf iam role-bindings list --identity ci --role viewer" },
    ],
    filters: FILTERS,
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show a role binding",
    examples: [{ command: "wharf iam role-bindings describe UID" }],
    argument,
  },
  delete: {
    summary: "Delete role bindings",
    examples: [
      { command: "wharf iam role-bindings delete UID" },
      {
        command:
          "wharf iam role-bindings delete -y $(wharf iam role-bindings list --identity ci -o id)",
        shows: "all role bindings of ci",
      },
    ],
    argument: {
      ...argumentsOf("bindings", ROLE_BINDING, "UIDs of role bindings"),
      required: true,
    },
  },
});

export const roleBindings = group({
  name: "role-bindings",
  aliases: ["role-binding", "rolebindings", "rolebinding", "bindings", "binding"],
  summary: "Manage role bindings (which identity has which role, and where)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    verbs.delete,
  ],
});
