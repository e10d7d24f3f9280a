import { create } from "@bufbuild/protobuf";
import {
  Capability,
  capabilityName,
  type Group,
  type GroupInviteRole,
  type Role,
} from "@wharf/contract";
import { groupsV1, rolesV1 } from "@wharf/contract/v1";

/** Translates a group to version 1. */
export function groupV1({ uid, name, description, resourceLimits, verified, kind, status }: Group) {
  return create(groupsV1.GroupSchema, {
    id: uid,
    name,
    description,
    resourceLimits: { ...resourceLimits },
    verified,
    kind: kind as number,
    status: status as number,
  });
}

/** Translates a role to version 1. */
export function roleV1(role: Role | GroupInviteRole): rolesV1.Role {
  const { uid, name, description, capabilities } = role;
  // A newer server may have stored capabilities that this one does not know.
  const names = capabilities.filter((one) => one in Capability).map(capabilityName);
  return create(rolesV1.RoleSchema, { id: uid, name, description, capabilities: names });
}
