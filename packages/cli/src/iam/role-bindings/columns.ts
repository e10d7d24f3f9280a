import type { RoleBinding } from "@wharf/client";
import type { Column } from "../../output/columns.ts";

/** Who it is about: by address or name where known. */
export function whoOf({ identity, identityUid }: RoleBinding): string {
  return identity?.email || identity?.name || identityUid;
}

export function roleOf({ role, roleUid }: RoleBinding): string {
  return role?.name || roleUid;
}

export const BINDING_COLUMNS: readonly Column<RoleBinding>[] = [
  { header: "UID", value: ({ uid }) => uid },
  { header: "Identity", value: whoOf },
  { header: "Role", value: roleOf },
  { header: "Group", value: ({ group }) => group?.name },
  { header: "Identity UID", value: ({ identityUid }) => identityUid, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Group UID", value: ({ group }) => group?.uid, wide: true },
  { header: "Issuer", value: ({ identity }) => identity?.issuer, wide: true },
  { header: "Subject", value: ({ identity }) => identity?.subject, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

/** A line of a tree, below its group. */
export function labelOf(binding: RoleBinding): string {
  return `${whoOf(binding)}: ${roleOf(binding)}`;
}
