import { create } from "@bufbuild/protobuf";
import {
  Capability,
  capabilityFromName,
  capabilityName,
  type GroupInviteRole,
  type Role,
  RolesService,
} from "@wharf/contract";
import { rolesV1 } from "@wharf/contract/v1";
import { invalidArgument } from "../lib/errors.ts";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";

const { Roles, RoleSchema } = rolesV1;

const NAMES = { parent: "parentId" };

/**
 * Roles as version 1 has them: their capabilities are dotted names.
 *
 * @example handlers.push(...roleMethods(invoke));
 */
export function roleMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: Roles.method.create,
      onto: RolesService.method.createRole,
      request: ({ parentId, role }) => ({ parent: parentId, ...(role && { role: toV2(role) }) }),
      answer: roleV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: Roles.method.update,
      onto: RolesService.method.updateRole,
      request: (role) => ({ role: toV2(role), updateMask: { paths: ["*"] } }),
      answer: roleV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: Roles.method.list,
      onto: RolesService.method.listRoles,
      request({ id, uidp, name, parent }) {
        const filter = filterOf(id, uidp);
        if (parent === "" || filter === undefined) return filter && { uidp: filter, name };
        const place = parent === "/" ? { inRoot: true } : { childrenOf: parent };
        // Both must hold, and nothing is in two places.
        const other = filter.childrenOf;
        if (other !== "" && other !== parent) return undefined;
        return { uidp: Object.assign(filter, place), name };
      },
      items: ({ roles }) => roles,
      item: roleV1,
      names: { "uidp.childrenOf": "parent" },
    }),
    adapt(invoke, {
      method: Roles.method.delete,
      onto: RolesService.method.deleteRole,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function toV2({ id, name, description, capabilities }: rolesV1.Role) {
  return { uid: id, name, description, capabilities: capabilities.map(known) };
}

function known(name: string): Capability {
  const capability = capabilityFromName(name);
  if (capability !== undefined) return capability;
  const description = `capabilities must be known: ${JSON.stringify(name)} is not`;
  throw invalidArgument({ field: "capabilities", description });
}

/**
 * A role as version 1 shows it.
 *
 * @example roleV1(role).capabilities // ["groups.list"]
 */
export function roleV1(role: Role | GroupInviteRole): rolesV1.Role {
  const { uid, name, description, capabilities } = role;
  // A later server may have stored some that this one does not know.
  const names = capabilities.filter((one) => one in Capability).map(capabilityName);
  return create(RoleSchema, { id: uid, name, description, capabilities: names });
}
