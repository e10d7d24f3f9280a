import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  type BatchDeleteExternalGroupRoleMappingsRequest,
  BatchDeleteExternalGroupRoleMappingsResponseSchema,
  Capability,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingSchema,
  ExternalGroupRoleMappingsService,
  parentOf,
  rootOf,
} from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { alreadyExists, invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Reader } from "../store/db/connection.ts";
import { checkGrantable } from "./granting.ts";
import { mustKeepOwner, OWNER_ROLE } from "./owners.ts";

/** External group role mappings: a role for everyone in a group of an identity provider, per session. */
export const externalGroupRoleMappings: Resource<ExternalGroupRoleMapping> = new Resource({
  service: ExternalGroupRoleMappingsService,
  schema: ExternalGroupRoleMappingSchema,
  table: "external_group_role_mappings",
  changesAccess: true,
  index: {
    filters: [
      { field: "identityProviderUid", column: "parent", type: "common" },
      { column: "role_uid", type: "text", of: (mapping) => mapping.roleUid, referencesRole: true },
      { column: "meaning", type: "text", of: effectOf },
    ],
  },
  hooks: {
    resolveParent: existingProvider,
    beforeCreate,
    beforeDelete: (mutation, deleted) => checkMappingRemoval(mutation, deleted),
  },
  methods: (deps) => [
    [
      ExternalGroupRoleMappingsService.method.batchDeleteExternalGroupRoleMappings,
      batchDelete(deps),
    ],
  ],
});

const BIND = [Capability.CAP_IAM_ROLE_BINDINGS_CREATE];

/** Locks the provider, so that equal mappings cannot be created concurrently. */
async function existingProvider({ deps, tx }: Mutation, uid: string): Promise<string> {
  const { table, typeName } = deps.catalog.identityProviders;
  if ((await table.findForChange(tx, uid)) === undefined) throw notFound(typeName, uid);
  return uid;
}

async function beforeCreate(mutation: Mutation, created: ExternalGroupRoleMapping): Promise<void> {
  const organization = rootOf(created.uid);
  created.identityProviderUid = parentOf(created.uid);
  if (created.scope === "") created.scope = organization;
  if (created.scope !== organization) {
    const description = "scope must be the organization of the identity provider";
    throw invalidArgument({ field: "scope", description });
  }
  mutation.mustHold(BIND, created.scope);
  await checkGrantable(mutation, created.roleUid, created.scope);
  const [same] = await externalGroupRoleMappings.where(mutation.tx, {
    column: "meaning",
    value: effectOf(created),
  });
  if (same !== undefined) throw alreadyExists("ExternalGroupRoleMapping", same.uid);
}

/** Members of the group may be all who have the rights of an owner, so one must be bound by then. */
async function checkMappingRemoval(
  mutation: Mutation,
  { roleUid, scope }: ExternalGroupRoleMapping,
): Promise<void> {
  if (roleUid === OWNER_ROLE) await mustKeepOwner(mutation, scope);
}

/** Equal for mappings with the same effect. */
function effectOf(mapping: ExternalGroupRoleMapping): string {
  const { identityProviderUid, externalGroupId, roleUid, scope } = mapping;
  return hash("sha256", JSON.stringify([identityProviderUid, externalGroupId, roleUid, scope]));
}

/** Deletes the mappings that exist, with one event for all of them. */
function batchDelete(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { parent, names } = message as BatchDeleteExternalGroupRoleMappingsRequest;
    for (const [at, name] of names.entries()) {
      if (parentOf(name) === parent) continue;
      const description = "names must be uids of mappings of the parent";
      throw invalidArgument({ field: `names[${at}]`, description });
    }
    const response = await deps.store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps, { events: "held" });
      await mutation.confirmAccess(parent);
      await existingProvider(mutation, parent);
      const deleted: ExternalGroupRoleMapping[] = [];
      for (const name of new Set(names)) {
        const row = await externalGroupRoleMappings.table.findForChange(tx, name);
        if (row === undefined) continue;
        const mapping = externalGroupRoleMappings.fromRow(row);
        await checkMappingRemoval(mutation, mapping);
        deleted.push(mapping);
        await mutation.remove(externalGroupRoleMappings, name, mapping);
      }
      const answer = create(BatchDeleteExternalGroupRoleMappingsResponseSchema, {
        parent,
        externalGroupRoleMappings: deleted,
      });
      if (deleted.length > 0) {
        const json = messageToJson(BatchDeleteExternalGroupRoleMappingsResponseSchema, answer);
        mutation.emitInstead(call.method, parent, { type: answer.$typeName, json });
      }
      return answer;
    });
    return messageReply(BatchDeleteExternalGroupRoleMappingsResponseSchema, response);
  };
}

/** A mapping of `name:Administrators` matches provisioned groups by display name. */
const NAME_PREFIX = "name:";

/** The groups of a person at their identity provider. */
export interface ExternalGroups {
  /** The groups claim of the ID token. */
  readonly ids: readonly string[];
  readonly provisioned: readonly { readonly externalId: string; readonly displayName: string }[];
}

/**
 * The mappings of an identity provider that apply to a person in these groups. A mapping matches the
 * provider's stable id of a group. Users who may create groups at the provider choose display names, so
 * these match only mappings with the prefix `name:`, which no id matches.
 */
export async function mappingsFor(
  reader: Reader,
  provider: string,
  { ids, provisioned }: ExternalGroups,
): Promise<ExternalGroupRoleMapping[]> {
  const stable = [...ids, ...provisioned.map(({ externalId }) => externalId)];
  const matched = new Set([
    ...stable.filter((id) => !id.startsWith(NAME_PREFIX)),
    ...provisioned.map(({ displayName }) => NAME_PREFIX + displayName),
  ]);
  const all = await externalGroupRoleMappings.where(reader, { column: "parent", value: provider });
  return all.filter((mapping) => matched.has(mapping.externalGroupId));
}
