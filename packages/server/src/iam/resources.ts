import { accountAssociations } from "./account-associations.ts";
import { externalGroupRoleMappings } from "./external-group-role-mappings.ts";
import { groupInvites } from "./group-invites.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { identityProviders } from "./identity-providers.ts";
import { roleBindings } from "./role-bindings.ts";
import { roles } from "./roles.ts";

/** The resources of iam. A new one is added here. */
export const RESOURCES = {
  groups,
  identities,
  roles,
  roleBindings,
  identityProviders,
  externalGroupRoleMappings,
  groupInvites,
  accountAssociations,
};
