// Written by `npm run generate`. Do not edit.

import { subscriptions } from "../events/subscriptions/definition.ts";
import { decisions } from "../exposure/decisions.ts";
import { vulnerabilitySources } from "../exposure/sources/definition.ts";
import { accountAssociations } from "../iam/account-associations.ts";
import { externalGroupRoleMappings } from "../iam/external-group-role-mappings.ts";
import { groupInvites } from "../iam/group-invites.ts";
import { groups } from "../iam/groups.ts";
import { identities } from "../iam/identities.ts";
import { identityProviders } from "../iam/identity-providers.ts";
import { roleBindings } from "../iam/role-bindings.ts";
import { roles } from "../iam/roles.ts";
import { deployments } from "../registry/deployments.ts";
import { packages } from "../registry/packages.ts";
import { repos } from "../registry/repos/definition.ts";
import { retentionPolicies } from "../registry/retention/definition.ts";
import { verificationKeys } from "../registry/signatures/definition.ts";
import { tagRules } from "../registry/tag-rules/definition.ts";
import { tags } from "../registry/tags/definition.ts";
import { upstreams } from "../registry/upstreams/definition.ts";
import { advisories } from "../vulnerabilities/advisories.ts";

/** Every resource of the server by its name. */
export const RESOURCES = {
  subscriptions,
  decisions,
  vulnerabilitySources,
  accountAssociations,
  externalGroupRoleMappings,
  groupInvites,
  groups,
  identities,
  identityProviders,
  roleBindings,
  roles,
  deployments,
  packages,
  repos,
  retentionPolicies,
  verificationKeys,
  tagRules,
  tags,
  upstreams,
  advisories,
};

type Resources = typeof RESOURCES;

declare module "../engine/catalog.ts" {
  interface Catalog extends Resources {}
}
