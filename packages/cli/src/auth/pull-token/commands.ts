import { command, define, group } from "../../command/definition.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { GROUP } from "../../resolve/kinds.ts";
import { LIST } from "../../resource/commands.ts";
import { listOptions } from "../../resource/options.ts";

const load = () => import("./run.ts");

export const createDefinition = define({
  name: "create",
  summary: "Create a username and password for pulling from the registry",
  description: `For machines that cannot use short-lived tokens. The password is shown only once: it is signed with a
key that is generated on this machine and then discarded; the server stores the public key. It
expires by itself; revoke ends it sooner.`,
  examples: [
    { command: "wharf auth pull-token create build --parent acme" },
    {
      command: "eval $(wharf auth pull-token create build --parent acme --ttl 90d -o env)",
      shows: "as environment variables",
    },
  ],
  arguments: [{ name: "name", summary: "Name of the pull token", required: true }],
  options: {
    parent: {
      type: "string",
      value: "GROUP",
      summary: "Organization or folder to pull from: name or UID",
      config: "default.group",
      required: true,
      complete: completeOf(GROUP),
      pick: pickOf(GROUP),
    },
    ttl: { type: "duration", default: "720h", summary: "Validity (maximum: 8760h)" },
    role: {
      type: "string",
      default: "registry.pull",
      summary: "Role to grant: name or UID",
    },
    description: { type: "string", value: "TEXT", summary: "Description" },
  },
  outputs: ["env"],
});

export const listDefinition = define({
  ...LIST,
  summary: "List pull tokens and their remaining validity",
  examples: [
    { command: "wharf auth pull-token list --parent acme" },
    { command: "wharf auth pull-token list --expired -o id", shows: "only expired ones" },
  ],
  options: {
    parent: {
      type: "string",
      value: "GROUP",
      summary: "Only pull tokens of this organization or folder, and below",
      config: "default.group",
      complete: completeOf(GROUP),
    },
    expired: { type: "boolean", summary: "Only expired pull tokens" },
    ...listOptions(),
  },
});

export const revokeDefinition = define({
  writes: true,
  name: "revoke",
  aliases: ["delete", "rm"],
  summary: "Revoke a pull token at once",
  examples: [{ command: "wharf auth pull-token revoke build -y" }],
  arguments: [{ name: "token", summary: "Name or UID of the pull token", required: true }],
  destructive: true,
});

export const pullToken = group({
  name: "pull-token",
  aliases: ["pull-tokens"],
  summary: "Manage passwords for pulling from the registry",
  commands: [
    command(createDefinition, load, "create"),
    command(listDefinition, load, "list"),
    command(revokeDefinition, load, "revoke"),
  ],
});
