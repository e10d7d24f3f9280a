import type { GroupInvite } from "@wharf/client";
import type { Column } from "../../output/columns.ts";
import { isPast } from "../../resource/time.ts";

export const INVITE_COLUMNS: readonly Column<GroupInvite>[] = [
  { header: "UID", value: ({ uid }) => uid },
  { header: "Role", value: ({ role, roleUid }) => role?.name ?? roleUid },
  { header: "E-mail", value: ({ email }) => email },
  { header: "Single use", value: ({ singleUse }) => (singleUse ? "yes" : "no") },
  { header: "Expires", value: ({ expirationTime }) => expirationTime },
  { header: "Expired", value: ({ expirationTime }) => (isPast(expirationTime) ? "yes" : "no") },
  { header: "Key ID", value: ({ keyId }) => keyId, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

/** What people know an invite by. */
export function labelOf({ email, role, roleUid, keyId }: GroupInvite): string {
  return `${email || `key ${keyId}`}: ${role?.name ?? roleUid}`;
}
