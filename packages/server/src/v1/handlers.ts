import type { DescMethod } from "@bufbuild/protobuf";
import type { CreateDeps } from "../engine/write/creates.ts";
import { ReposWithReadme } from "../registry/repos/repo-with-readme.ts";
import type { TagWrites } from "../registry/tags/tag-writes.ts";
import type { Handler } from "../rpc/call.ts";
import type { Invoke } from "./adapter.ts";
import { subscriptionMethods } from "./events/subscriptions.ts";
import { accountAssociationMethods } from "./iam/account-associations.ts";
import { externalGroupRoleMappingMethods } from "./iam/external-group-role-mappings.ts";
import { groupInviteMethods } from "./iam/group-invites.ts";
import { groupMethods } from "./iam/groups.ts";
import { identityMethods } from "./iam/identities.ts";
import { identityProviderMethods } from "./iam/identity-providers.ts";
import { roleBindingMethods } from "./iam/role-bindings.ts";
import { roleMethods } from "./iam/roles.ts";
import { termsMethods } from "./iam/terms.ts";
import { pingMethods } from "./ping.ts";
import { deploymentMethods } from "./registry/deployments.ts";
import { entitlementMethods } from "./registry/entitlements.ts";
import { imageMethods } from "./registry/images.ts";
import { packageVersionMethods } from "./registry/package-versions.ts";
import { registrySettingsMethods } from "./registry/registry-settings.ts";
import { repoEventBody, repoMethods } from "./registry/repos.ts";
import { syncStatusMethods } from "./registry/sync-status.ts";
import { tagHistoryMethods } from "./registry/tag-history.ts";
import { tagMethods } from "./registry/tags.ts";
import { tagsSummaryMethods } from "./registry/tags-summary.ts";

/** The handlers of all version 1 methods. */
export function v1Handlers(
  invoke: Invoke,
  deps: CreateDeps,
  tagWrites: TagWrites,
): Iterable<readonly [DescMethod, Handler]> {
  return [
    ...groupMethods(invoke),
    ...identityMethods(invoke, deps),
    ...roleMethods(invoke),
    ...roleBindingMethods(invoke),
    ...groupInviteMethods(invoke, deps),
    ...identityProviderMethods(invoke),
    ...accountAssociationMethods(invoke),
    ...externalGroupRoleMappingMethods(invoke),
    ...repoMethods(invoke, new ReposWithReadme(deps, repoEventBody)),
    ...tagMethods(invoke, tagWrites),
    ...tagsSummaryMethods(invoke),
    ...tagHistoryMethods(invoke),
    ...imageMethods(invoke),
    ...deploymentMethods(invoke),
    ...packageVersionMethods(invoke),
    ...registrySettingsMethods(invoke),
    ...subscriptionMethods(invoke),
    ...termsMethods(invoke),
    ...syncStatusMethods(invoke, deps),
    ...entitlementMethods(),
    ...pingMethods(invoke),
  ];
}
