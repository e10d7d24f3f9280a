import type { Argument, Option } from "../command/definition.ts";
import { completeOf, pickOf } from "../resolve/choices.ts";
import { GROUP, type HasUid, type Kind, ROLE } from "../resolve/kinds.ts";

/** Options and arguments that several commands share. */

/** The group that a new resource is created in. */
export const PARENT = {
  type: "string",
  value: "GROUP",
  aliases: ["group"],
  summary: "Parent organization or folder: name or UID",
  config: "default.group",
  required: true,
  complete: completeOf(GROUP),
  pick: pickOf(GROUP),
} as const satisfies Option;

/** The scope of a list. */
export const SCOPE = {
  parent: {
    type: "string",
    value: "GROUP",
    aliases: ["group"],
    summary: "Only resources in this organization or folder: name or UID",
    config: "default.group",
    complete: completeOf(GROUP),
  },
  recursive: { type: "boolean", default: true, summary: "Include folders below" },
} as const satisfies Record<string, Option>;

/** Bounds a list. */
export const LIMIT = {
  type: "number",
  value: "NUMBER",
  summary: "At most this many",
} as const satisfies Option;

export const NAME = { type: "string", summary: "New name" } as const satisfies Option;

/** Filters by name: all of it, or how it begins. */
export const NAME_FILTERS = {
  name: { type: "string", summary: "Only resources with this name" },
  "name-prefix": {
    type: "string",
    value: "TEXT",
    summary: "Only resources whose name begins with this text",
  },
} as const satisfies Record<string, Option>;

export const DESCRIPTION = {
  type: "string",
  value: "TEXT",
  summary: "Description",
} as const satisfies Option;

/** Roles to bind to a new identity. */
export const ROLES = {
  type: "list",
  aliases: ["roles"],
  value: "ROLE",
  summary: "Roles to bind to the identity in its parent group: names or UIDs",
  complete: completeOf(ROLE),
} as const satisfies Option;

/** An argument that takes one resource. */
export function argumentOf<const Name extends string, T extends HasUid>(
  name: Name,
  kind: Kind<T>,
  summary = `Name, path such as acme/${name}, or UID of the ${kind.one}`,
) {
  return {
    name,
    summary,
    required: true,
    complete: completeOf(kind),
    pick: pickOf(kind),
  } as const satisfies Argument;
}

/** An argument that takes several resources. */
export function argumentsOf<const Name extends string, T extends HasUid>(
  name: Name,
  kind: Kind<T>,
  summary = `Names or UIDs of ${kind.many}`,
) {
  return {
    name,
    summary,
    variadic: true,
    complete: completeOf(kind),
    pick: pickOf(kind),
  } as const satisfies Argument;
}
