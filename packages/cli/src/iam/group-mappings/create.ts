import { rootOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { mappingColumns } from "./columns.ts";
import type { createDefinition } from "./commands.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const parent = await resolveUid(context, IDENTITY_PROVIDER, args.provider);
  const roleUid = await resolveRole(context, args.role, rootOf(parent));
  const { externalGroupRoleMappings } = await context.client();
  const externalGroupRoleMapping = { externalGroupId: args.externalGroup, roleUid };
  const request = { parent, externalGroupRoleMapping };
  const made = await externalGroupRoleMappings.create(request, { signal: context.signal });
  context.err.note(`everyone in ${made.externalGroupId} has the role ${args.role} once logged in`);
  await context.out.one(made, await mappingColumns(context, [made]));
};
