import { group } from "../command/definition.ts";
import { accountAssociations } from "./account-associations/commands.ts";
import { groupMappings } from "./group-mappings/commands.ts";
import { folders } from "./groups/folders.ts";
import { organizations } from "./groups/organizations.ts";
import { identities } from "./identities/commands.ts";
import { identityProviders } from "./identity-providers/commands.ts";
import { invites } from "./invites/commands.ts";
import { roleBindings } from "./role-bindings/commands.ts";
import { roles } from "./roles/commands.ts";

export const iam = group({
  name: "iam",
  summary: "Manage who may do what, and where",
  commands: [
    organizations,
    folders,
    identities,
    roles,
    roleBindings,
    invites,
    identityProviders,
    groupMappings,
    accountAssociations,
  ],
});
