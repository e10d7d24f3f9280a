import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeOf } from "../../resolve/choices.ts";
import { IDENTITY, ROLE } from "../../resolve/kinds.ts";
import { PARENT, WITHIN } from "../../resource/options.ts";
import { completeBindings, pickBinding } from "./choices.ts";

const binding = {
  name: "binding",
  summary: "Uid of the role binding",
  required: true,
  complete: completeBindings,
  pick: pickBinding,
} as const;

const identity = {
  type: "string",
  value: "IDENTITY",
  summary: "Who: name, e-mail address or uid of an identity",
  complete: completeOf(IDENTITY),
} as const;

const role = {
  type: "string",
  value: "ROLE",
  summary: "What: name or uid of a role",
  complete: completeOf(ROLE),
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List role bindings",
  examples: [
    { command: "wharf iam role-bindings list --parent acme -o tree" },
    { command: "wharf iam role-bindings list --identity ci --role viewer" },
  ],
  options: { identity, role, ...WITHIN },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one role binding",
  examples: [{ command: "wharf iam role-bindings describe UID" }],
  arguments: [binding],
});

export const createDefinition = define({
  name: "create",
  summary: "Bind identities to roles, in a group and everything below it",
  description: `You must hold everything that the roles can do.

A file has a list, in YAML or JSON, of entries with \`identity\` and \`role\`. They are created 25 at a
time, and each of these batches as a whole or not at all.`,
  examples: [
    { command: "wharf iam role-bindings create --identity ci --role registry.pull --parent acme" },
    { command: "wharf iam role-bindings create --file bindings.yaml --parent acme" },
  ],
  options: {
    identity,
    role: { ...role, type: "list", summary: "What: names or uids of roles" },
    parent: PARENT,
    file: { type: "file", short: "f", summary: "A file with many of them" },
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change whom a role binding is about, or which role it gives",
  examples: [{ command: "wharf iam role-bindings update UID --role editor" }],
  arguments: [binding],
  options: { identity, role },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete role bindings",
  description: "One that is not there is no error.",
  examples: [
    { command: "wharf iam role-bindings delete UID" },
    {
      command:
        "wharf iam role-bindings delete -y $(wharf iam role-bindings list --identity ci -o id)",
      shows: "everything that ci was given",
    },
  ],
  arguments: [{ ...binding, name: "bindings", summary: "Uids of role bindings", variadic: true }],
});

export const roleBindings = group({
  name: "role-bindings",
  aliases: ["role-binding", "rolebindings", "rolebinding", "bindings", "binding"],
  summary: "Manage role bindings: who has which role, and where",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
