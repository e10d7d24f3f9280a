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
import type { Engine } from "../engine/engine.ts";
import { Mutation } from "../engine/mutation.ts";
import { Resource } from "../engine/resource.ts";
import { alreadyExists, invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Reader } from "../store/db/connection.ts";
import { checkGrantable } from "./granting.ts";

/** Mappings: everyone in a group of an identity provider is given a role while logged in through it. */
export const externalGroupRoleMappings: Resource<ExternalGroupRoleMapping> = new Resource({
  service: ExternalGroupRoleMappingsService,
  schema: ExternalGroupRoleMappingSchema,
  table: "external_group_role_mappings",
  changesAccess: true,
  index: {
    filters: [
      { field: "identityProviderUid", column: "parent", type: "common" },
      { column: "role_uid", type: "text", of: (mapping) => mapping.roleUid, referencesRole: true },
      { column: "meaning", type: "text", of: meaning },
    ],
  },
  hooks: {
    resolveParent: existingProvider,
    beforeCreate,
  },
  methods: (engine) => [
    [
      ExternalGroupRoleMappingsService.method.batchDeleteExternalGroupRoleMappings,
      batchDelete(engine),
    ],
  ],
});

const BIND = [Capability.CAP_IAM_ROLE_BINDINGS_CREATE];

/** The provider, locked: two mappings with the same meaning cannot be made at the same time. */
async function existingProvider({ engine, tx }: Mutation, uid: string): Promise<string> {
  const { table, typeName } = engine.catalog.identityProviders;
  if ((await table.findForChange(tx, uid)) === undefined) throw notFound(typeName, uid);
  return uid;
}

async function beforeCreate(change: Mutation, created: ExternalGroupRoleMapping): Promise<void> {
  const organisation = rootOf(created.uid);
  created.identityProviderUid = parentOf(created.uid);
  if (created.scope === "") created.scope = organisation;
  if (created.scope !== organisation) {
    const description = "scope must be the organisation of the identity provider";
    throw invalidArgument({ field: "scope", description });
  }
  change.mustHold(BIND, created.scope);
  await checkGrantable(change, created.roleUid, created.scope);
  const [same] = await externalGroupRoleMappings.where(change.tx, {
    column: "meaning",
    value: meaning(created),
  });
  if (same !== undefined) throw alreadyExists("ExternalGroupRoleMapping", same.uid);
}

/** The same for two mappings that would do the same. */
function meaning(mapping: ExternalGroupRoleMapping): string {
  const { identityProviderUid, externalGroupId, roleUid, scope } = mapping;
  return hash("sha256", JSON.stringify([identityProviderUid, externalGroupId, roleUid, scope]));
}

/** Deletes those that are there; one event tells of all of them. */
function batchDelete(engine: Engine): Handler {
  return async (call, message) => {
    const { parent, names } = message as BatchDeleteExternalGroupRoleMappingsRequest;
    for (const [at, name] of names.entries()) {
      if (parentOf(name) === parent) continue;
      const description = "names must be those of mappings of the parent";
      throw invalidArgument({ field: `names[${at}]`, description });
    }
    const response = await engine.store.write(async (tx) => {
      const change = new Mutation(call, tx, engine, { events: "held" });
      await change.confirmAccess(parent);
      await existingProvider(change, parent);
      const deleted: ExternalGroupRoleMapping[] = [];
      for (const name of new Set(names)) {
        const row = await externalGroupRoleMappings.table.findForChange(tx, name);
        if (row === undefined) continue;
        deleted.push(externalGroupRoleMappings.fromRow(row));
        await change.remove(externalGroupRoleMappings, name);
      }
      const answer = create(BatchDeleteExternalGroupRoleMappingsResponseSchema, {
        parent,
        externalGroupRoleMappings: deleted,
      });
      if (deleted.length > 0) {
        const json = messageToJson(BatchDeleteExternalGroupRoleMappingsResponseSchema, answer);
        await change.emitInstead(call.method, parent, { type: answer.$typeName, json });
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
  /** What the groups claim of the ID token holds. */
  readonly ids: readonly string[];
  readonly provisioned: readonly { readonly externalId: string; readonly displayName: string }[];
}

/**
 * The mappings of an identity provider that apply to a person in these groups. A mapping matches the
 * provider's stable id of a group. Everyone who may create groups at the
 * provider chooses their display names, so those count only for mappings that ask for one; and no id, however it
 * is written, matches those.
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
