import type { Group } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { FOLDER, ORGANIZATION } from "../../resolve/kinds.ts";
import { withGroup } from "../../resource/group-column.ts";
import { filtered, printOne, type Resource, type ScopeArgs } from "../../resource/run.ts";
import { confirmTwins, twinsNamed } from "../../resource/twins.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, readPairs } from "../../resource/values.ts";
import type { createFolderDefinition, createOrganizationDefinition } from "./commands.ts";
import { updateFolderDefinition, updateOrganizationDefinition } from "./commands.ts";

const COLUMNS: readonly Column<Group>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Description", value: ({ description }) => description },
  { header: "Verified", value: ({ verified }) => (verified ? "yes" : "no"), wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
  { header: "Limits", value: ({ resourceLimits }) => quotaTexts(resourceLimits), wide: true },
];

function quotaTexts(quotas: Group["resourceLimits"]): string[] {
  return Object.entries(quotas).map(([resource, max]) => `${resource}=${max}`);
}

const findOrganization = (context: Context, text: string) =>
  resolveGroup(context, text, ORGANIZATION);
const findFolder = (context: Context, text: string) => resolveGroup(context, text, FOLDER);

export const organizations: Resource<Group> = {
  kind: ORGANIZATION,
  columns: COLUMNS,
  nestsItself: true,
  find: findOrganization,
  async select({ client, out, signal }, { name, namePrefix, orderBy = "name" }: ScopeArgs) {
    const { groups } = await client();
    const named = definedFields({ name, namePrefix });
    // A tree includes folders. Without an order, parents precede their children.
    const request = out.format === "tree" ? named : { uidp: { inRoot: true }, orderBy, ...named };
    return groups.listAll(request, { signal });
  },
};

export const folders: Resource<Group> = {
  kind: FOLDER,
  columns: withGroup(COLUMNS),
  details: COLUMNS,
  nestsItself: true,
  find: findFolder,
  async select(context, { parent, recursive, name, namePrefix, orderBy = "name" }: ScopeArgs) {
    const { out, settings, signal } = context;
    const { groups } = await context.client();
    const text = parent ?? settings.config.get("default.group");
    const uid = text === undefined ? undefined : (await resolveGroup(context, text)).uid;
    const scope = recursive ? { descendantsOf: uid ?? "" } : { childrenOf: uid ?? "" };
    const order = out.format === "tree" ? {} : { orderBy };
    const named = definedFields({ name, namePrefix });
    const all = groups.listAll({ ...(uid ? { uidp: scope } : {}), ...order, ...named }, { signal });
    // Without a scope, the API lists organizations and all levels of folders.
    const isDeep = recursive || uid !== undefined;
    return filtered(all, (group) => {
      const depth = group.uid.split("/").length - 1;
      return depth === 1 || (depth > 1 && isDeep);
    });
  },
};

export const createOrganization: Run<typeof createOrganizationDefinition> = async (
  context,
  { name, description = "" },
) => {
  const { groups } = await context.client();
  const created = await groups.create({ group: { name, description } }, { signal: context.signal });
  context.err.note(`created organization ${created.name}`);
  await printOne(context, organizations, created);
};

export const createFolder: Run<typeof createFolderDefinition> = async (context, args) => {
  const { name, description = "" } = args;
  const { groups } = await context.client();
  const parent = await resolveGroup(context, args.parent);
  const { signal } = context;
  const twins = { name, uidp: { childrenOf: parent.uid }, pageSize: 1 };
  await confirmTwins(context, parent.name, () =>
    twinsNamed(groups.listAll(twins, { signal }), "a folder"),
  );
  const request = { parent: parent.uid, group: { name, description } };
  const created = await groups.create(request, { signal });
  context.err.note(`created folder ${created.name} in ${parent.name}`);
  await printOne(context, folders, created);
};

const UPDATE = {
  name: "name",
  description: "description",
  resourceLimits: ({
    args,
    current,
  }: {
    readonly args: { readonly limit: readonly string[] };
    readonly current: Group;
  }) => (args.limit.length > 0 ? mergeQuotas(current.resourceLimits, args.limit) : undefined),
} as const;

export const updateOrganization = updater(updateOrganizationDefinition, {
  resource: organizations,
  find: findOrganization,
  fields: {
    ...UPDATE,
    verified: ({ args: { verified } }) => (verified === undefined ? undefined : verified === "yes"),
  },
  send: ({ groups }, group, updateMask, options) => groups.update({ group, updateMask }, options),
});

export const updateFolder = updater(updateFolderDefinition, {
  resource: folders,
  find: findFolder,
  fields: UPDATE,
  send: ({ groups }, group, updateMask, options) => groups.update({ group, updateMask }, options),
});

/** The quotas after `--limit repositories=10`; `repositories=` removes one, others stay. */
function mergeQuotas(
  current: Readonly<Record<string, number>>,
  limits: readonly string[],
): Record<string, number> {
  const merged = new Map(Object.entries(current));
  for (const [resource, max] of Object.entries(readPairs("--limit", limits))) {
    if (max === "") merged.delete(resource);
    else merged.set(resource, readQuota(max));
  }
  return Object.fromEntries(merged);
}

function readQuota(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) {
    throw usageError(`--limit must be a whole number, not "${text}"`);
  }
  return Number(text);
}
