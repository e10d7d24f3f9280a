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
import type { Call } from "../rpc/call.ts";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { groupV1 } from "./groups.ts";
import { adaptList, filterOf, PAGE_SIZE } from "./list.ts";
import { roleV1 } from "./roles.ts";

const { RoleBindings, RoleBindingSchema, RoleBindingList_BindingSchema } = roleBindingsV1;

const NAMES = { identityUid: "identity", roleUid: "role" };

/**
 * Role bindings as version 1 has them.
 *
 * @example handlers.push(...roleBindingMethods(invoke));
 */
export function roleBindingMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: RoleBindings.method.create,
      onto: RoleBindingsService.method.createRoleBinding,
      request: ({ parent, roleBinding }) => {
        return { parent, ...(roleBinding && { roleBinding: toV2(roleBinding) }) };
      },
      answer: bindingV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: RoleBindings.method.createBatch,
      onto: RoleBindingsService.method.batchCreateRoleBindings,
      request: ({ parent, roleBindings }) => {
        return { parent, requests: roleBindings.map((one) => ({ roleBinding: toV2(one) })) };
      },
      answer: batchV1,
      names: { ...NAMES, requests: "roleBindings", roleBinding: "" },
    }),
    adapt(invoke, {
      method: RoleBindings.method.update,
      onto: RoleBindingsService.method.updateRoleBinding,
      request: (binding) => ({ roleBinding: toV2(binding), updateMask: { paths: ["*"] } }),
      answer: bindingV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: RoleBindings.method.list,
      onto: RoleBindingsService.method.listRoleBindings,
      request({ id, uidp }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter };
      },
      items: ({ roleBindings }, call) => withNeighbours(invoke, call, roleBindings),
      item: listedV1,
    }),
    adapt(invoke, {
      method: RoleBindings.method.delete,
      onto: RoleBindingsService.method.deleteRoleBinding,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function toV2({ id, identity, role }: roleBindingsV1.RoleBinding) {
  return { uid: id, identityUid: identity, roleUid: role };
}

/**
 * A binding as version 1 shows it outside of lists.
 *
 * @example bindingV1(binding).group
 */
export function bindingV1({ uid, identityUid, roleUid }: RoleBinding): roleBindingsV1.RoleBinding {
  const group = parentOf(uid);
  return create(RoleBindingSchema, { id: uid, identity: identityUid, group, role: roleUid });
}

/**
 * The bindings that were made together.
 *
 * @example batchV1(response).roleBindings
 */
export function batchV1({ roleBindings }: BatchCreateRoleBindingsResponse) {
  return { roleBindings: roleBindings.map(bindingV1) };
}

/** A binding with its group and role, as far as the caller may list these. */
interface Neighbours {
  readonly binding: RoleBinding;
  readonly group: Group | undefined;
  readonly role: Role | undefined;
}

/** Version 2 names group and role only; version 1 shows all of them. */
async function withNeighbours(
  invoke: Invoke,
  call: Call,
  bindings: readonly RoleBinding[],
): Promise<Neighbours[]> {
  if (bindings.length === 0) return [];
  const asked = (uids: readonly string[]) => {
    return { uidp: { ids: [...new Set(uids)] }, pageSize: PAGE_SIZE };
  };
  const [{ groups }, { roles }] = await Promise.all([
    invoke(
      call,
      GroupsService.method.listGroups,
      create(ListGroupsRequestSchema, asked(bindings.map(({ uid }) => parentOf(uid)))),
    ),
    invoke(
      call,
      RolesService.method.listRoles,
      create(ListRolesRequestSchema, asked(bindings.map(({ roleUid }) => roleUid))),
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

function listedV1({ binding, group, role }: Neighbours): roleBindingsV1.RoleBindingList_Binding {
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

/** What everyone who sees a binding sees of its group and role. */
function named(of: RoleBinding["group"] | RoleBinding["role"]) {
  return { id: of?.uid ?? "", name: of?.name ?? "", description: of?.description ?? "" };
}
