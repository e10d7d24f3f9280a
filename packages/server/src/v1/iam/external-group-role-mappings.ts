import { create } from "@bufbuild/protobuf";
import {
  type BatchDeleteExternalGroupRoleMappingsResponse,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingsService,
} from "@wharf/contract";
import { externalGroupRoleMappingsV1 } from "@wharf/contract/v1";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { ExternalGroupRoleMappings, ExternalGroupRoleMappingSchema } = externalGroupRoleMappingsV1;

const NAMES = {
  parent: "parentId",
  externalGroupRoleMapping: "mapping",
  identityProviderUid: "identityProviderUidp",
  roleUid: "roleUidp",
};

/** The version 1 methods of external group role mappings. */
export function externalGroupRoleMappingMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.create,
      target: ExternalGroupRoleMappingsService.method.createExternalGroupRoleMapping,
      request: ({ parentId, mapping }) => ({
        parent: parentId,
        ...(mapping && { externalGroupRoleMapping: toV2(mapping) }),
      }),
      response: mappingV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.get,
      target: ExternalGroupRoleMappingsService.method.getExternalGroupRoleMapping,
      request: ({ uid }) => ({ uid }),
      response: mappingV1,
      // The only version 1 request with the field name of version 2.
      names: { uid: "uid" },
    }),
    adaptList(invoke, {
      method: ExternalGroupRoleMappings.method.list,
      target: ExternalGroupRoleMappingsService.method.listExternalGroupRoleMappings,
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
      target: ExternalGroupRoleMappingsService.method.deleteExternalGroupRoleMapping,
      request: ({ id }) => ({ uid: id }),
    }),
    adapt(invoke, {
      method: ExternalGroupRoleMappings.method.batchDelete,
      target: ExternalGroupRoleMappingsService.method.batchDeleteExternalGroupRoleMappings,
      request: ({ parentId, ids }) => ({ parent: parentId, names: ids }),
      response: deletedV1,
      names: { ...NAMES, names: "ids" },
    }),
  ];
}

function toV2(mapping: externalGroupRoleMappingsV1.ExternalGroupRoleMapping) {
  const { externalGroupId, roleUidp, scope } = mapping;
  return { externalGroupId, roleUid: roleUidp, scope };
}

/** Translates a mapping to version 1. */
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

/** Translates a batch of deleted mappings to version 1. */
export function deletedV1(deleted: BatchDeleteExternalGroupRoleMappingsResponse) {
  return {
    parentId: deleted.parent,
    items: deleted.externalGroupRoleMappings.map(mappingV1),
  };
}
