import { command, define, group, type Options } from "../../command/definition.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { GROUP, INVITE, ROLE } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf, SCOPE, UNNAMED_BY_SERVER } from "../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("invite", INVITE, "UID of the invite, or key ID of its code");

const ROLE_OPTION = {
  type: "string",
  value: "ROLE",
  summary: "Role that the invite grants: name or UID",
  complete: completeOf(ROLE),
  pick: pickOf(ROLE),
} as const;

const GROUP_ARGUMENT = {
  name: "group",
  summary: "Name or UID of the organization or folder (default: default.group)",
  complete: completeOf(GROUP),
  pick: pickOf(GROUP),
} as const;

const EMAIL = {
  type: "string",
  value: "ADDRESS",
  summary: "Restrict to a verified email address",
} as const;

export const FILTERS = {
  expired: { type: "boolean", summary: "Only expired invites" },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Invite people to a group",
  description: `The code is printed once and not stored: pass on the code or the link printed with it. You must hold
all capabilities of the role.`,
  examples: [
    { command: "wharf iam invites create acme --role viewer --ttl 168h --single-use" },
    {
      command: "wharf iam invites create acme --role editor --email dev@example.com -o json",
      shows: "the code is in .code",
    },
  ],
  arguments: [GROUP_ARGUMENT],
  options: {
    role: { ...ROLE_OPTION, required: true },
    ttl: { type: "duration", default: "168h", summary: "Validity" },
    email: EMAIL,
    "single-use": { type: "boolean", summary: "Only the first person can accept it" },
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update the role, the email address or the validity of an open invite",
  description: "The code stays the same.",
  examples: [{ command: "wharf iam invites update UID --ttl 24h", shows: "a day from now" }],
  arguments: [argument],
  options: {
    role: ROLE_OPTION,
    ttl: { type: "duration", summary: "Validity from now on" },
    email: EMAIL,
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List invites, newest first",
    examples: [{ command: "wharf iam invites list --parent acme" }],
    filters: FILTERS,
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show an invite (without its code, which only create prints)",
    examples: [{ command: "wharf iam invites describe UID" }],
    argument,
  },
  delete: {
    summary: "Delete invites, which invalidates their codes",
    examples: [
      { command: "wharf iam invites delete UID" },
      { command: "wharf iam invites delete --expired --parent acme -y" },
    ],
    argument: {
      name: "invites",
      summary: "UIDs of invites, or key IDs of their codes",
      variadic: true,
      complete: completeOf(INVITE),
    },
    options: { expired: { type: "boolean", summary: "All expired invites" }, ...SCOPE },
  },
});

export const invites = group({
  name: "invites",
  aliases: ["invite", "group-invites"],
  summary: "Manage invites (codes to join a group)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    verbs.delete,
  ],
});
