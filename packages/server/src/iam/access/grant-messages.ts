import { create } from "@bufbuild/protobuf";
import {
  type AccessGrant,
  AccessGrantKind,
  AccessGrantSchema,
  AccessObstacle,
  type Group,
  parentOf,
  type Role,
  type RoleBindingGroup,
  RoleBindingGroupSchema,
  type RoleBindingRole,
  RoleBindingRoleSchema,
} from "@wharf/contract";
import type { Caller } from "../../auth/caller.ts";
import type { Obstacle } from "../../auth/origins.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { Reader } from "../../store/db/connection.ts";
import { bindingUids } from "../../store/tables/access/identity-bindings.ts";
import { shownIdentity } from "../role-bindings.ts";
import type { IdentityOrigin } from "./query.ts";
import { mayReadRole } from "./visibility.ts";

const OBSTACLES: Readonly<Record<Obstacle, AccessObstacle>> = {
  deactivated: AccessObstacle.DEACTIVATED,
  "sign-in": AccessObstacle.SIGN_IN,
  "token scope": AccessObstacle.TOKEN_SCOPE,
};

/** The parameters of a response beside the grants themselves. */
export interface MessageParameters {
  readonly caller: Caller;
  /** The resource of the question; empty for none. */
  readonly resource: string;
}

/** Grants as messages, with the names of identities, roles and groups. */
export async function grantMessages(
  catalog: Catalog,
  reader: Reader,
  origins: readonly IdentityOrigin[],
  { caller, resource }: MessageParameters,
): Promise<AccessGrant[]> {
  const people = origins.map(({ identity }) => identity).filter((uid) => uid !== "");
  const [uids, identities, roles, groups] = await Promise.all([
    bindingUids(
      reader,
      origins.flatMap(({ id, mapping }) => (mapping ? [] : [id])),
    ),
    catalog.identities.findMany(reader, people),
    catalog.roles.findMany(
      reader,
      origins.map(({ role }) => role),
    ),
    catalog.groups.findMany(
      reader,
      origins.map(({ scope }) => scope),
    ),
  ]);
  return origins.map(({ id, scope, role, identity, mapping, obstacle }) => {
    const isReadable = mayReadRole(caller, role) || identity === caller.uid;
    const holder = identities.get(identity);
    return create(AccessGrantSchema, {
      kind: mapping === undefined ? AccessGrantKind.ROLE_BINDING : AccessGrantKind.GROUP_MAPPING,
      uid: mapping?.uid ?? uids.get(id) ?? "",
      ...(holder && { identity: shownIdentity(holder) }),
      role: roleMessage(role, roles.get(role)),
      group: groupMessage(scope, groups.get(scope)),
      inherited: resource !== "" && resource !== scope,
      capabilities: isReadable ? (roles.get(role)?.capabilities ?? []) : [],
      ...(mapping && {
        identityProviderUid: parentOf(mapping.uid),
        externalGroupId: mapping.externalGroupId,
      }),
      obstacle: obstacle === undefined ? AccessObstacle.UNSPECIFIED : OBSTACLES[obstacle],
    });
  });
}

export function roleMessage(
  uid: string,
  role: Pick<Role, "name" | "description"> | undefined,
): RoleBindingRole {
  const { name = "", description = "" } = role ?? {};
  return create(RoleBindingRoleSchema, { uid, name, description });
}

function groupMessage(uid: string, group: Group | undefined): RoleBindingGroup {
  const { name = "", description = "" } = group ?? {};
  return create(RoleBindingGroupSchema, { uid, name, description });
}
