import type { ExternalGroupRoleMapping, RoleBinding } from "@wharf/client";
import { isRoot, parentOf } from "@wharf/contract";
import type { Column } from "../output/columns.ts";
import { textOf } from "../output/columns.ts";
import { namesOf } from "../resolve/capabilities.ts";
import { roleOf, subjectOf } from "../resolve/kinds.ts";
import type { RoleView } from "../resolve/role-names.ts";

/** One reason why someone can do something somewhere. */
export interface Row {
  /** Of the binding or mapping. */
  readonly uid: string;
  /** A name or address; of a mapping, the group at the provider. */
  readonly who: string;
  readonly identityUid?: string | undefined;
  readonly role: string;
  readonly roleUid: string;
  /** Where the role was given. */
  readonly group: string;
  readonly groupUid: string;
  readonly via: string;
  /** How many are logged in now; undefined when the caller may not know. */
  readonly sessions?: number | undefined;
  /** Undefined when the caller may not see what the role can do. */
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

/** Sessions that are known of, by identity and by mapping. */
export interface Sessions {
  ofIdentity(uid: string): number | undefined;
  ofMapping(uid: string): number | undefined;
}

export interface RowOptions {
  readonly roles: ReadonlyMap<string, RoleView>;
  readonly sessions: Sessions;
  /** The resource that is asked about, if one is. */
  readonly resource?: string | undefined;
}

export function bindingRow(binding: RoleBinding, { roles, sessions, resource }: RowOptions): Row {
  const { uid, identityUid, roleUid, group } = binding;
  const place = parentOf(uid);
  return {
    uid,
    who: subjectOf(binding),
    identityUid,
    role: roleOf(binding),
    roleUid,
    group: group?.name ?? "",
    groupUid: place,
    via: resource === undefined || resource === place ? "binding" : "binding above",
    // Only people log in, and they live in no group.
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

function capabilitiesOf(role: RoleView | undefined): readonly string[] | undefined {
  return role && namesOf(role.capabilities);
}
