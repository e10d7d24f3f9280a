import { create } from "@bufbuild/protobuf";
import {
  type BatchCreateRoleBindingsResponse,
  type Group,
  GroupsService,
  ListGroupsRequestSchema,
  ListRolesRequestSchema,
  parentOf,
  type Role,
  type RoleBinding,
  RoleBindingsService,
  RolesService,
} from "@wharf/contract";
import { roleBindingsV1 } from "@wharf/contract/v1";
import { groupV1, roleV1 } from "../../iam/v1-messages.ts";
import type { Call } from "../../rpc/call.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList, PAGE_SIZE } from "../list.ts";

const { RoleBindings, RoleBindingSchema, RoleBindingList_BindingSchema } = roleBindingsV1;

const NAMES = { identityUid: "identity", roleUid: "role" };

/** The version 1 methods of role bindings. */
export function roleBindingMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: RoleBindings.method.create,
      target: RoleBindingsService.method.createRoleBinding,
      request: ({ parent, roleBinding }) => {
        return { parent, ...(roleBinding && { roleBinding: toV2(roleBinding) }) };
      },
      response: bindingV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: RoleBindings.method.createBatch,
      target: RoleBindingsService.method.batchCreateRoleBindings,
      request: ({ parent, roleBindings }) => {
        return { parent, requests: roleBindings.map((one) => ({ roleBinding: toV2(one) })) };
      },
      response: batchV1,
      names: { ...NAMES, requests: "roleBindings", roleBinding: "" },
    }),
    adapt(invoke, {
      method: RoleBindings.method.update,
      target: RoleBindingsService.method.updateRoleBinding,
      request: (binding) => ({ roleBinding: toV2(binding), updateMask: { paths: ["*"] } }),
      response: bindingV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: RoleBindings.method.list,
      target: RoleBindingsService.method.listRoleBindings,
      request({ id, uidp }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter };
      },
      items: ({ roleBindings }, call) => withGroupsAndRoles(invoke, call, roleBindings),
      item: listedV1,
    }),
    adapt(invoke, {
      method: RoleBindings.method.delete,
      target: RoleBindingsService.method.deleteRoleBinding,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function toV2({ id, identity, role }: roleBindingsV1.RoleBinding) {
  return { uid: id, identityUid: identity, roleUid: role };
}

/** Translates a binding to version 1, except in lists. */
export function bindingV1({ uid, identityUid, roleUid }: RoleBinding): roleBindingsV1.RoleBinding {
  const group = parentOf(uid);
  return create(RoleBindingSchema, { id: uid, identity: identityUid, group, role: roleUid });
}

/** Translates a batch of created bindings to version 1. */
export function batchV1({ roleBindings }: BatchCreateRoleBindingsResponse) {
  return { roleBindings: roleBindings.map(bindingV1) };
}

/** A binding with its group and role, if the caller may list them. */
interface ListedBinding {
  readonly binding: RoleBinding;
  readonly group: Group | undefined;
  readonly role: Role | undefined;
}

/** Version 2 lists have the names of group and role; version 1 lists the whole messages. */
async function withGroupsAndRoles(
  invoke: Invoke,
  call: Call,
  bindings: readonly RoleBinding[],
): Promise<ListedBinding[]> {
  if (bindings.length === 0) return [];
  const byUids = (uids: readonly string[]) => {
    return { uidp: { ids: [...new Set(uids)] }, pageSize: PAGE_SIZE };
  };
  const [{ groups }, { roles }] = await Promise.all([
    invoke(
      call,
      GroupsService.method.listGroups,
      create(ListGroupsRequestSchema, byUids(bindings.map(({ uid }) => parentOf(uid)))),
    ),
    invoke(
      call,
      RolesService.method.listRoles,
      create(ListRolesRequestSchema, byUids(bindings.map(({ roleUid }) => roleUid))),
    ),
  ]);
  const groupOf = new Map(groups.map((group) => [group.uid, group]));
  const roleOf = new Map(roles.map((role) => [role.uid, role]));
  return bindings.map((binding) => ({
    binding,
    group: groupOf.get(parentOf(binding.uid)),
    role: roleOf.get(binding.roleUid),
  }));
}

function listedV1({ binding, group, role }: ListedBinding): roleBindingsV1.RoleBindingList_Binding {
  const { uid, identityUid, identity, createTime } = binding;
  return create(RoleBindingList_BindingSchema, {
    id: uid,
    group: group ? groupV1(group) : named(binding.group),
    identity: identityUid,
    role: role ? roleV1(role) : named(binding.role),
    email: identity?.email ?? "",
    claimMatchIssuer: identity?.issuer ?? "",
    claimMatchSubject: identity?.subject ?? "",
    ...(createTime && { createdAt: createTime }),
  });
}

/** The fields of group and role that everyone who may list the binding sees. */
function named(of: RoleBinding["group"] | RoleBinding["role"]) {
  return { id: of?.uid ?? "", name: of?.name ?? "", description: of?.description ?? "" };
}
