import { create } from "@bufbuild/protobuf";
import {
  type BatchDeleteExternalGroupRoleMappingsResponse,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingsService,
} from "@wharf/contract";
import { externalGroupRoleMappingsV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";

const { ExternalGroupRoleMappings, ExternalGroupRoleMappingSchema } = externalGroupRoleMappingsV1;

const NAMES = {
  parent: "parentId",
  externalGroupRoleMapping: "mapping",
  identityProviderUid: "identityProviderUidp",
  roleUid: "roleUidp",
};

/**
 * Mappings of external groups to roles as version 1 has them.
 *
 * @example handlers.push(...externalGroupRoleMappingMethods(invoke));
 */
export function externalGroupRoleMappingMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.create,
      onto: ExternalGroupRoleMappingsService.method.createExternalGroupRoleMapping,
      request: ({ parentId, mapping }) => ({
        parent: parentId,
        ...(mapping && { externalGroupRoleMapping: toV2(mapping) }),
      }),
      answer: mappingV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.get,
      onto: ExternalGroupRoleMappingsService.method.getExternalGroupRoleMapping,
      request: ({ uid }) => ({ uid }),
      answer: mappingV1,
      // The one place of version 1 that has the name of version 2.
      names: { uid: "uid" },
    }),
    adaptList(invoke, {
      method: ExternalGroupRoleMappings.method.list,
      onto: ExternalGroupRoleMappingsService.method.listExternalGroupRoleMappings,
      request({ uidp, identityProviderUidp }) {
        const filter = filterOf("", uidp);
        return filter && { uidp: filter, identityProviderUid: identityProviderUidp };
      },
      items: ({ externalGroupRoleMappings }) => externalGroupRoleMappings,
      item: mappingV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.delete,
      onto: ExternalGroupRoleMappingsService.method.deleteExternalGroupRoleMapping,
      request: ({ id }) => ({ uid: id }),
    }),
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.batchDelete,
      onto: ExternalGroupRoleMappingsService.method.batchDeleteExternalGroupRoleMappings,
      request: ({ parentId, ids }) => ({ parent: parentId, names: ids }),
      answer: deletedV1,
      names: { ...NAMES, names: "ids" },
    }),
  ];
}

function toV2(mapping: externalGroupRoleMappingsV1.ExternalGroupRoleMapping) {
  const { externalGroupId, roleUidp, scope } = mapping;
  return { externalGroupId, roleUid: roleUidp, scope };
}

/**
 * A mapping as version 1 shows it.
 *
 * @example mappingV1(mapping).roleUidp
 */
export function mappingV1(mapping: ExternalGroupRoleMapping) {
  const { uid, identityProviderUid, externalGroupId, roleUid, scope, createTime } = mapping;
  return create(ExternalGroupRoleMappingSchema, {
    id: uid,
    identityProviderUidp: identityProviderUid,
    externalGroupId,
    roleUidp: roleUid,
    scope,
    createdAt: createTime,
  });
}

/**
 * The mappings that were deleted together.
 *
 * @example deletedV1(response).items
 */
export function deletedV1(deleted: BatchDeleteExternalGroupRoleMappingsResponse) {
  return {
    parentId: deleted.parent,
    items: deleted.externalGroupRoleMappings.map(mappingV1),
  };
}
