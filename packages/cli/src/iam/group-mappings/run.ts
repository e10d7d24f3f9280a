import type { ExternalGroupRoleMapping } from "@wharf/client";
import { parentOf, rootOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { namesOf } from "../../resolve/group-names.ts";
import { resolveScope } from "../../resolve/groups.ts";
import { IDENTITY_PROVIDER, type Kind } from "../../resolve/kinds.ts";
import { requireUid, resolve, resolveRole, resolveUid } from "../../resolve/resolve.ts";
import { rolesByUid } from "../../resolve/roles.ts";
import type { FilterArgs } from "../../resource/commands.ts";
import { printOne, type Resource } from "../../resource/run.ts";
import { definedFields } from "../../resource/values.ts";
import type { createDefinition, deleteDefinition, FILTERS } from "./commands.ts";

const MAPPING: Kind<ExternalGroupRoleMapping> = {
  one: "mapping",
  many: "mappings",
  listCommand: "wharf iam group-mappings list",
  service: ({ externalGroupRoleMappings }) => externalGroupRoleMappings,
  label: ({ externalGroupId }) => externalGroupId,
  hint: ({ uid }) => uid,
};

export const resource: Resource<ExternalGroupRoleMapping, FilterArgs<typeof FILTERS>> = {
  kind: MAPPING,
  columns: columnsOf,
  async find({ client, signal }, uid) {
    requireUid("MAPPING", uid);
    return (await client()).externalGroupRoleMappings.get({ uid }, { signal });
  },
  async select(context, args) {
    const uidp =
      args.provider === undefined
        ? await resolveScope(context, args)
        : { childrenOf: await resolveUid(context, IDENTITY_PROVIDER, args.provider) };
    const { externalGroupRoleMappings } = await context.client();
    const request = { uidp, ...definedFields({ orderBy: args.orderBy }) };
    return externalGroupRoleMappings.listAll(request, { signal: context.signal });
  },
};

/** Columns with the names of roles and providers that the caller can see. */
async function columnsOf(
  context: Context,
  mappings: readonly ExternalGroupRoleMapping[],
): Promise<readonly Column<ExternalGroupRoleMapping>[]> {
  const roleUids = mappings.map(({ roleUid }) => roleUid);
  const providerUids = mappings.map(({ uid }) => parentOf(uid));
  const [roles, providers] = await Promise.all([
    rolesByUid(context, roleUids),
    namesOf(context, IDENTITY_PROVIDER, providerUids),
  ]);
  return [
    { header: "External group", value: ({ externalGroupId }) => externalGroupId },
    { header: "Role", value: ({ roleUid }) => roles.get(roleUid)?.name ?? roleUid },
    { header: "Provider", value: ({ uid }) => providers.get(parentOf(uid)) },
    UID,
    { header: "Provider UID", value: ({ uid }) => parentOf(uid), wide: true },
    { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
    { header: "Scope", value: ({ scope }) => scope, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
  ];
}

export const create: Run<typeof createDefinition> = async (context, args) => {
  const parent = await resolveUid(context, IDENTITY_PROVIDER, args.provider);
  const roleUid = await resolveRole(context, args.role, rootOf(parent));
  const { externalGroupRoleMappings } = await context.client();
  const externalGroupRoleMapping = { externalGroupId: args.externalGroup, roleUid };
  const request = { parent, externalGroupRoleMapping };
  const created = await externalGroupRoleMappings.create(request, { signal: context.signal });
  context.err.note(`members of ${created.externalGroupId} get the role ${args.role} at sign-in`);
  await printOne(context, resource, created);
};

/** The server's limit per batch. */
const BATCH_SIZE = 25;

export const deleteMappings: Run<typeof deleteDefinition> = async (context, args) => {
  const { all, mappings, provider } = args;
  if (all === mappings.length > 0 || all !== (provider !== undefined)) {
    throw usageError("give either MAPPINGS, or --all with --provider");
  }
  for (const uid of mappings) requireUid("MAPPINGS", uid);
  const uids = provider === undefined ? mappings : await mappingsOf(context, provider);
  if (uids.length === 0) return context.err.note("no mappings to delete");
  await context.confirm(
    `Delete ${uids.length === 1 ? `mapping ${uids[0]}` : `${uids.length} mappings`}?`,
  );
  const { externalGroupRoleMappings } = await context.client();
  const { signal } = context;
  let deleted = 0;
  for (const [parent, names] of Map.groupBy(uids, parentOf)) {
    for (let start = 0; start < names.length; start += BATCH_SIZE) {
      const request = { parent, names: names.slice(start, start + BATCH_SIZE) };
      const batch = await externalGroupRoleMappings.batchDelete(request, { signal });
      deleted += batch.externalGroupRoleMappings.length;
    }
  }
  context.err.note(`deleted ${deleted} mapping${deleted === 1 ? "" : "s"}`);
};

async function mappingsOf(context: Context, provider: string): Promise<string[]> {
  const { uid } = await resolve(context, IDENTITY_PROVIDER, provider);
  const { externalGroupRoleMappings } = await context.client();
  const request = { uidp: { childrenOf: uid } };
  const found = externalGroupRoleMappings.listAll(request, { signal: context.signal });
  return Array.fromAsync(found, (mapping) => mapping.uid);
}
