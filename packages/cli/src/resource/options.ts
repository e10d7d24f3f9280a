import type { Argument, Option } from "../command/definition.ts";
import { completeOf, pickOf } from "../resolve/choices.ts";
import { completeGroup, pickGroup } from "../resolve/group-choices.ts";
import { IDENTITY, IDENTITY_PROVIDER, type Kind, type Named, ROLE } from "../resolve/kinds.ts";

/** Options and arguments that many commands take. */

/** Where something new goes. */
export const PARENT = {
  type: "string",
  value: "GROUP",
  aliases: ["group"],
  summary: "The organization or folder that it goes into: its name or uid",
  config: "default.group",
  required: true,
  complete: completeGroup("group"),
  pick: pickGroup("group"),
} as const satisfies Option;

/** Where to look. */
export const WITHIN = {
  parent: {
    type: "string",
    value: "GROUP",
    aliases: ["group"],
    summary: "Only what is in this organization or folder: its name or uid",
    config: "default.group",
    complete: completeGroup("group"),
  },
  recursive: { type: "boolean", default: true, summary: "Also what is in folders below" },
} as const satisfies Record<string, Option>;

export const NAME = { type: "string", summary: "Its new name" } as const satisfies Option;

export const DESCRIPTION = {
  type: "string",
  value: "TEXT",
  summary: "What it is for",
} as const satisfies Option;

/** What can be changed of organizations and folders. */
export const GROUP_CHANGES = {
  name: NAME,
  description: DESCRIPTION,
  limit: {
    type: "list",
    value: "NAME=NUMBER",
    summary:
      "Hold no more than so many repositories or idps, below it too; without a number, any. For the operator",
  },
} as const satisfies Record<string, Option>;

export const ROLES = {
  type: "list",
  aliases: ["roles"],
  value: "ROLE",
  summary: "Bind these roles where the identity lives, at once: names or uids",
  complete: completeOf(ROLE),
} as const satisfies Option;

/** One thing of a kind, told by name or uid. */
function argumentOf<Name extends string, T extends Named>(name: Name, kind: Kind<T>) {
  return {
    name,
    summary: `Name, path of names such as acme/${name}, or uid of the ${kind.one}`,
    required: true,
    complete: completeOf(kind),
    pick: pickOf(kind),
  } as const satisfies Argument;
}

export const IDENTITY_ARGUMENT = argumentOf("identity", IDENTITY);
export const ROLE_ARGUMENT = argumentOf("role", ROLE);
export const PROVIDER_ARGUMENT = argumentOf("provider", IDENTITY_PROVIDER);

/** Several of a kind. */
function argumentsOf<Name extends string, T extends Named>(name: Name, kind: Kind<T>) {
  return {
    name,
    summary: `Names or uids of ${kind.many}`,
    variadic: true,
    complete: completeOf(kind),
    pick: pickOf(kind),
  } as const satisfies Argument;
}

export const IDENTITY_ARGUMENTS = argumentsOf("identities", IDENTITY);
export const ROLE_ARGUMENTS = { ...argumentsOf("roles", ROLE), required: true } as const;
export const PROVIDER_ARGUMENTS = {
  ...argumentsOf("providers", IDENTITY_PROVIDER),
  required: true,
} as const;
