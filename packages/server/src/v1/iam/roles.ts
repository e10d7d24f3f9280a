import { type Capability, capabilityFromName, RolesService } from "@wharf/contract";
import { rolesV1 } from "@wharf/contract/v1";
import { roleV1 } from "../../iam/v1-messages.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { Roles } = rolesV1;

const NAMES = { parent: "parentId" };

/** The version 1 methods of roles. Capabilities are dotted names. */
export function roleMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Roles.method.create,
      target: RolesService.method.createRole,
      request: ({ parentId, role }) => ({ parent: parentId, ...(role && { role: toV2(role) }) }),
      response: roleV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: Roles.method.update,
      target: RolesService.method.updateRole,
      request: (role) => ({ role: toV2(role), updateMask: { paths: ["*"] } }),
      response: roleV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: Roles.method.list,
      target: RolesService.method.listRoles,
      request({ id, uidp, name, parent }) {
        const filter = filterOf(id, uidp);
        if (parent === "" || filter === undefined) return filter && { uidp: filter, name };
        const scope = parent === "/" ? { inRoot: true } : { childrenOf: parent };
        // Both filters apply, and a role has one parent.
        const other = filter.childrenOf;
        if (other !== "" && other !== parent) return undefined;
        return { uidp: Object.assign(filter, scope), name };
      },
      items: ({ roles }) => roles,
      item: roleV1,
      names: { "uidp.childrenOf": "parent" },
    }),
    adapt(invoke, {
      method: Roles.method.delete,
      target: RolesService.method.deleteRole,
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
