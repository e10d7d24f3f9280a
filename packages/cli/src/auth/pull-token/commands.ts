import { command, define, group } from "../../command/definition.ts";
import { LIST } from "../../command/verbs.ts";
import { completeGroup, pickGroup } from "../../resolve/group-choices.ts";

export const createDefinition = define({
  name: "create",
  summary: "Create a username and password that can pull from the registry",
  description: `For machines that cannot log in otherwise. The password is shown this once: its key is made on this
machine and dropped, the server has only the public one. It ends by itself; revoke ends it sooner.`,
  examples: [
    { command: "wharf auth pull-token create build --parent acme" },
    {
      command: "eval $(wharf auth pull-token create build --parent acme --ttl 90d -o env)",
      shows: "as variables",
    },
  ],
  arguments: [{ name: "name", summary: "What the token is called", required: true }],
  options: {
    parent: {
      type: "string",
      value: "GROUP",
      summary: "The organization or folder that it can pull from: its name or uid",
      config: "default.group",
      required: true,
      complete: completeGroup("group"),
      pick: pickGroup("group"),
    },
    ttl: { type: "duration", default: "720h", summary: "How long it is good for; 8760h at most" },
    role: {
      type: "string",
      default: "registry.pull",
      summary: "What it may do: the name or uid of a role",
    },
    description: { type: "string", value: "TEXT", summary: "What it is for" },
  },
  outputs: ["env"],
});

export const listDefinition = define({
  ...LIST,
  summary: "List pull tokens, with how long they are good for",
  examples: [
    { command: "wharf auth pull-token list --parent acme" },
    { command: "wharf auth pull-token list --expired -o id", shows: "those that have ended" },
  ],
  options: {
    parent: {
      type: "string",
      value: "GROUP",
      summary: "Only those of this organization or folder, and below",
      config: "default.group",
      complete: completeGroup("group"),
    },
    expired: { type: "boolean", summary: "Only those that have ended" },
  },
});

export const revokeDefinition = define({
  name: "revoke",
  aliases: ["delete", "rm"],
  summary: "Revoke a pull token: it stops working at once",
  examples: [{ command: "wharf auth pull-token revoke build -y" }],
  arguments: [{ name: "token", summary: "Name or uid of the pull token", required: true }],
  destructive: true,
});

export const pullToken = group({
  name: "pull-token",
  aliases: ["pull-tokens"],
  summary: "Manage passwords for pulling from the registry",
  commands: [
    command(createDefinition, () => import("./create.ts")),
    command(listDefinition, () => import("./list.ts")),
    command(revokeDefinition, () => import("./revoke.ts")),
  ],
});
