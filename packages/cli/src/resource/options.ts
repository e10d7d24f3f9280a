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

/**
 * The sorting and filtering of a list that the server does; the command does the rest, over everything that it has
 * read.
 */
export interface ByServer {
  /** The columns that it orders by. */
  readonly sort: readonly (keyof typeof SERVER_ORDERS)[];
  /** The fields that it compares, which are arguments of the same name in requests. */
  readonly filter: readonly string[];
}

/** The API's names of the columns that it orders by. */
export const SERVER_ORDERS = {
  name: "name",
  uid: "uid",
  created: "create_time",
  updated: "update_time",
} as const;

/** Lists of resources with a name. */
export const NAMED_BY_SERVER: ByServer = {
  sort: ["name", "uid", "created", "updated"],
  filter: ["name"],
};

/** Lists of resources without a name. */
export const UNNAMED_BY_SERVER: ByServer = { sort: ["uid", "created", "updated"], filter: [] };

/** Options that restrict and order a list. The texts say what the server does. */
export function listOptions({ sort, filter }: ByServer = { sort: [], filter: [] }) {
  const sorts = sort.length > 0 ? ` (${sort.join(", ")}: by the server; others: of all pages)` : "";
  const filters = filter.map((field) => `${field}=`).join(", ");
  return {
    sort: {
      type: "string",
      value: "'FIELD [desc]'",
      summary: `Order by a column or field${sorts}`,
    },
    filter: {
      type: "list",
      repeatOnly: true,
      value: "FIELD=VALUE",
      summary: `Only rows that match; \`wharf help lists\` has the operators${filters && ` (${filters} by the server; others: of all pages)`}`,
    },
    limit: { type: "number", value: "NUMBER", summary: "At most this many" },
  } as const satisfies Record<string, Option>;
}

/** Options of a list whose --limit bounds what is read: a log. */
export function logOptions(limit: number, limitSummary: string) {
  const { sort, filter } = listOptions();
  return {
    sort: { ...sort, summary: "Order the rows within --limit by a column or field" },
    filter,
    limit: { type: "number", value: "NUMBER", default: limit, summary: limitSummary },
  } as const satisfies Record<string, Option>;
}

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
