import type { ExternalGroupRoleMapping } from "@wharf/client";
import { parentOf } from "@wharf/contract";
import type { Context } from "../../context.ts";
import type { Column } from "../../output/columns.ts";
import { roleNames } from "../../resolve/role-names.ts";

/** Columns of mappings, with the names of their roles as far as the caller may see these. */
export async function mappingColumns(
  context: Context,
  mappings: readonly ExternalGroupRoleMapping[],
): Promise<readonly Column<ExternalGroupRoleMapping>[]> {
  const names = await roleNames(
    context,
    mappings.map(({ roleUid }) => roleUid),
  );
  return [
    { header: "External group", value: ({ externalGroupId }) => externalGroupId },
    { header: "Role", value: ({ roleUid }) => names.get(roleUid) ?? roleUid },
    { header: "UID", value: ({ uid }) => uid },
    { header: "Provider", value: ({ uid }) => parentOf(uid), wide: true },
    { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
    { header: "Scope", value: ({ scope }) => scope, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
  ];
}
