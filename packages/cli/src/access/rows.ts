import type { ExternalGroupRoleMapping, RoleBinding } from "@wharf/client";
import { isRoot, parentOf } from "@wharf/contract";
import { type Column, textOf } from "../output/columns.ts";
import { capabilityNames } from "../resolve/capabilities.ts";
import { roleOf, subjectOf } from "../resolve/kinds.ts";
import type { RoleSummary } from "../resolve/names.ts";
import type { SessionCounts } from "./sessions.ts";

/** A role binding or group mapping that grants access. */
export interface Row {
  /** Of the binding or mapping. */
  readonly uid: string;
  /** Name or address of the identity; for a mapping, the group at the provider. */
  readonly who: string;
  readonly identityUid?: string | undefined;
  readonly role: string;
  readonly roleUid: string;
  /** The scope of the grant. */
  readonly group: string;
  readonly groupUid: string;
  readonly via: string;
  /** Active sessions; undefined if the caller is not allowed to list them. */
  readonly sessions?: number | undefined;
  /** Undefined if the caller is not allowed to see the role. */
  readonly capabilities?: readonly string[] | undefined;
}

export const ROW_COLUMNS: readonly Column<Row>[] = [
  { header: "Who", value: ({ who }) => who },
  { header: "Role", value: ({ role }) => role },
  { header: "From", value: ({ group, groupUid }) => group || groupUid },
  { header: "Via", value: ({ via }) => via },
  { header: "Sessions", value: ({ sessions }) => textOf(sessions) },
  { header: "Identity UID", value: ({ identityUid }) => identityUid, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Group UID", value: ({ groupUid }) => groupUid, wide: true },
  { header: "UID", value: ({ uid }) => uid, wide: true },
  { header: "Capabilities", value: ({ capabilities }) => capabilities, wide: true },
];

export interface RowOptions {
  readonly roles: ReadonlyMap<string, RoleSummary>;
  readonly sessions: SessionCounts;
  /** The resource of the query, if any. */
  readonly resource?: string | undefined;
}

export function bindingRow(binding: RoleBinding, { roles, sessions, resource }: RowOptions): Row {
  const { uid, identityUid, roleUid, group } = binding;
  const groupUid = parentOf(uid);
  return {
    uid,
    who: subjectOf(binding),
    identityUid,
    role: roleOf(binding),
    roleUid,
    group: group?.name ?? "",
    groupUid,
    via: resource === undefined || resource === groupUid ? "binding" : "binding above",
    // Only people have sessions, and they belong to no group.
    sessions: isRoot(identityUid) ? sessions.ofIdentity(identityUid) : undefined,
    capabilities: capabilitiesOf(roles.get(roleUid)),
  };
}

export function mappingRow(
  { uid, externalGroupId, roleUid, scope }: ExternalGroupRoleMapping,
  { roles, sessions }: RowOptions,
  { provider, group }: { readonly provider: string; readonly group: string },
): Row {
  return {
    uid,
    who: externalGroupId,
    role: roles.get(roleUid)?.name ?? roleUid,
    roleUid,
    group,
    groupUid: scope,
    via: `group of ${provider}`,
    sessions: sessions.ofMapping(uid),
    capabilities: capabilitiesOf(roles.get(roleUid)),
  };
}

function capabilitiesOf(role: RoleSummary | undefined): readonly string[] | undefined {
  return role && capabilityNames(role.capabilities);
}
