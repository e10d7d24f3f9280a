import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { completeGroup, pickGroup } from "../../resolve/group-choices.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { WITHIN } from "../../resource/options.ts";
import { completeInvites, pickInvite } from "./choices.ts";

const invite = {
  name: "invite",
  summary: "Uid of the invite, or the key of its code",
  required: true,
  complete: completeInvites,
  pick: pickInvite,
} as const;

const role = {
  type: "string",
  value: "ROLE",
  summary: "The role that it gives: name or uid",
  complete: completeOf(ROLE),
  pick: pickOf(ROLE),
} as const;

const email = {
  type: "string",
  value: "ADDRESS",
  summary: "Good only for whoever has this verified e-mail address",
} as const;

export const createDefinition = define({
  name: "create",
  summary: "Invite people to a group",
  description: `The code is printed once, and kept nowhere: hand it on, or the link that is shown with it.
You must hold everything that the role can do.`,
  examples: [
    { command: "wharf iam invites create acme --role viewer --ttl 168h --single-use" },
    {
      command: "wharf iam invites create acme --role editor --email dev@example.com -o json",
      shows: "the code is in .code",
    },
  ],
  arguments: [
    {
      name: "group",
      summary: "Name or uid of the organization or folder; default.group otherwise",
      complete: completeGroup("group"),
      pick: pickGroup("group"),
    },
  ],
  options: {
    role: { ...role, required: true },
    ttl: { type: "duration", default: "168h", summary: "For how long it can be accepted" },
    email,
    "single-use": { type: "boolean", summary: "Gone once one person has accepted it" },
  },
});

export const listDefinition = define({
  ...LIST,
  summary: "List invites, newest first",
  examples: [{ command: "wharf iam invites list --parent acme" }],
  options: {
    expired: { type: "boolean", summary: "Only those that can no longer be accepted" },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one invite; its code is shown by create alone",
  examples: [{ command: "wharf iam invites describe UID" }],
  arguments: [invite],
});

export const updateDefinition = define({
  name: "update",
  summary: "Change what an open invite gives, to whom, or for how long",
  description: "The code stays the same.",
  examples: [{ command: "wharf iam invites update UID --ttl 24h", shows: "a day from now" }],
  arguments: [invite],
  options: {
    role,
    ttl: { type: "duration", summary: "For how long it can be accepted, from now" },
    email,
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete invites: their codes are worth nothing from then on",
  examples: [
    { command: "wharf iam invites delete UID" },
    { command: "wharf iam invites delete --expired --parent acme -y" },
  ],
  arguments: [
    {
      name: "invites",
      summary: "Uids of invites, or keys of their codes",
      variadic: true,
      complete: completeInvites,
    },
  ],
  options: {
    expired: { type: "boolean", summary: "All that can no longer be accepted" },
    ...WITHIN,
  },
});

export const invites = group({
  name: "invites",
  aliases: ["invite", "group-invites"],
  summary: "Manage invites: codes that let people join a group",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
  ],
});
