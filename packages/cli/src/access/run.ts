import type { ExternalGroupRoleMapping, IdentityProvider, RoleBinding } from "@wharf/client";
import { capabilityName, isSelfOrBelow, parentOf, rootOf } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Arrangement } from "../output/arrange.ts";
import { readCapability } from "../resolve/capabilities.ts";
import { groupNames } from "../resolve/group-names.ts";
import { resolveIdentity } from "../resolve/resolve.ts";
import { rolesByUid } from "../resolve/roles.ts";
import { printTree } from "../resource/print.ts";
import type { listDefinition } from "./commands.ts";
import { resourceUid } from "./resource-uid.ts";
import { activeSessions, bindingRow, mappingRow, ROW_COLUMNS, type Row } from "./rows.ts";

export const list: Run<typeof listDefinition> = async (context, args) => {
  if (args.resource === undefined && args.identity === undefined) {
    throw usageError("give --resource, --identity or both");
  }
  const capability =
    args.capability === undefined
      ? undefined
      : capabilityName(readCapability("--capability", args.capability));
  await context.progress("reading role bindings", async () => {
    const [resource, identity] = await Promise.all([
      args.resource === undefined ? undefined : resourceUid(context, args.resource),
      args.identity === undefined ? undefined : resolveIdentity(context, args.identity),
    ]);
    const all = await rowsOf(context, { resource, identity: identity?.uid });
    // A role whose capabilities are not visible may contain the requested one.
    const rows = all
      .filter(
        ({ capabilities }) =>
          capability === undefined || capabilities?.includes(capability) !== false,
      )
      .sort((a, b) => a.groupUid.length - b.groupUid.length || a.who.localeCompare(b.who));
    const opaque = new Set(rows.flatMap((row) => (row.capabilities ? [] : [row.role])));
    if (capability !== undefined && opaque.size > 0) {
      context.err.warn(
        `includes roles whose capabilities you are not allowed to see: ${[...opaque].join(", ")}`,
      );
    }
    await print(context, rows, args);
  });
};

async function print(
  context: Context,
  all: readonly Row[],
  arrangement: Arrangement,
): Promise<void> {
  const what = "role bindings or group mappings";
  if (context.out.format !== "tree")
    return context.out.list(all, ROW_COLUMNS, { what, arrangement });
  const { arrange } = await import("../output/arrange.ts");
  const rows = await Array.fromAsync(arrange(all, ROW_COLUMNS, arrangement));
  const leaves = rows.map(({ groupUid, who, role, via }, index) => ({
    // Below the scope of the grant: the UID of a mapping is below its identity provider.
    uid: `${groupUid}/${index.toString(16).padStart(16, "0")}`,
    label: `${who}: ${role} (${via})`,
  }));
  await printTree(context, leaves, what);
}

interface Query {
  readonly resource: string | undefined;
  readonly identity: string | undefined;
}

/** All role bindings and group mappings that grant access and that the caller can see. */
async function rowsOf(context: Context, query: Query): Promise<Row[]> {
  const { resource, identity } = query;
  const [bindings, { providers, mappings }] = await Promise.all([
    bindingsOf(context, query),
    mappingsOf(context, resource),
  ]);
  const uids = [...bindings, ...mappings].map(({ roleUid }) => roleUid);
  const [roles, sessions, groups] = await Promise.all([
    rolesByUid(context, uids),
    activeSessions(context, [...providers.keys()], identity),
    groupNames(
      context,
      mappings.map(({ scope }) => scope),
    ),
  ]);
  // Only sessions say which mappings apply to an identity.
  const applied = identity === undefined ? undefined : sessions.mappingsOf(identity);
  const options = { roles, sessions, resource };
  return [
    ...bindings.map((binding) => bindingRow(binding, options)),
    ...mappings
      .filter(({ uid }) => applied?.has(uid) ?? true)
      .map((mapping) => {
        const provider = providers.get(parentOf(mapping.uid))?.name ?? "an identity provider";
        return mappingRow(mapping, options, { provider, group: groups.get(mapping.scope) ?? "" });
      }),
  ];
}

async function bindingsOf(context: Context, { resource, identity = "" }: Query) {
  const { roleBindings } = await context.client();
  const listIn = (uidp: object): Promise<RoleBinding[]> =>
    Array.fromAsync(roleBindings.listAll({ identity, uidp }, { signal: context.signal }));
  if (resource === undefined) return listIn({});
  const [direct, inherited] = await Promise.all([
    listIn({ childrenOf: resource }),
    listIn({ ancestorsOf: resource }),
  ]);
  return [...direct, ...inherited];
}

/** Mappings whose scope includes the resource, and their identity providers. */
async function mappingsOf(context: Context, resource: string | undefined) {
  const { identityProviders, externalGroupRoleMappings } = await context.client();
  const { signal } = context;
  const uidp = resource === undefined ? {} : { descendantsOf: rootOf(resource) };
  const [providers, mappings] = await Promise.all([
    Array.fromAsync<IdentityProvider>(identityProviders.listAll({ uidp }, { signal })),
    Array.fromAsync<ExternalGroupRoleMapping>(
      externalGroupRoleMappings.listAll({ uidp }, { signal }),
    ),
  ]);
  return {
    providers: new Map(providers.map((provider) => [provider.uid, provider])),
    mappings: mappings.filter(
      ({ scope }) => resource === undefined || isSelfOrBelow(resource, scope),
    ),
  };
}
