import type { ExternalGroupRoleMapping, IdentityProvider, RoleBinding } from "@wharf/client";
import { isSelfOrBelow, parentOf, rootOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { groupNames } from "../resolve/group-names.ts";
import { rolesByUid } from "../resolve/role-names.ts";
import { bindingRow, mappingRow, type Row } from "./row.ts";
import { liveSessions } from "./sessions.ts";

/** What is asked about: a place, an identity, or an identity at a place. */
export interface Question {
  readonly resource: string | undefined;
  readonly identity: string | undefined;
}

/** Every reason why someone can do something, as far as the caller may see it. */
export async function gather(context: Context, question: Question): Promise<Row[]> {
  const { resource, identity } = question;
  const [bindings, { providers, mappings }] = await Promise.all([
    bindingsOf(context, question),
    mappingsOf(context, resource),
  ]);
  const uids = [...bindings, ...mappings].map(({ roleUid }) => roleUid);
  const [roles, sessions, groups] = await Promise.all([
    rolesByUid(context, uids),
    liveSessions(context, [...providers.keys()], identity),
    groupNames(
      context,
      mappings.map(({ scope }) => scope),
    ),
  ]);
  // Of one identity, only mappings that apply in a session of theirs are known to be theirs.
  const applying = identity === undefined ? undefined : sessions.mappingsOf(identity);
  const options = { roles, sessions, resource };
  return [
    ...bindings.map((binding) => bindingRow(binding, options)),
    ...mappings
      .filter(({ uid }) => applying?.has(uid) ?? true)
      .map((mapping) => {
        const provider = providers.get(parentOf(mapping.uid))?.name ?? "an identity provider";
        return mappingRow(mapping, options, { provider, group: groups.get(mapping.scope) ?? "" });
      }),
  ];
}

async function bindingsOf(context: Context, { resource, identity = "" }: Question) {
  const { roleBindings } = await context.client();
  const list = (uidp: object): Promise<RoleBinding[]> =>
    Array.fromAsync(roleBindings.listAll({ identity, uidp }, { signal: context.signal }));
  if (resource === undefined) return list({});
  // What is bound at the resource itself, and in all groups above it.
  const [own, above] = await Promise.all([
    list({ childrenOf: resource }),
    list({ ancestorsOf: resource }),
  ]);
  return [...own, ...above];
}

/** Mappings that reach the resource, and the providers that they are of. */
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
