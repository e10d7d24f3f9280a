import type { DescMethod } from "@bufbuild/protobuf";
import type { Engine } from "../engine/engine.ts";
import { ReposWithReadme } from "../registry/repos/repo-with-readme.ts";
import type { TagWrites } from "../registry/tags/tag-writes.ts";
import type { Handler } from "../rpc/call.ts";
import { accountAssociationMethods } from "./account-associations.ts";
import type { Invoke } from "./adapter.ts";
import { deploymentMethods } from "./deployments.ts";
import { entitlementMethods } from "./entitlements.ts";
import { externalGroupRoleMappingMethods } from "./external-group-role-mappings.ts";
import { groupInviteMethods } from "./group-invites.ts";
import { groupMethods } from "./groups.ts";
import { identityMethods } from "./identities.ts";
import { identityProviderMethods } from "./identity-providers.ts";
import { imageMethods } from "./images.ts";
import { packageVersionMethods } from "./package-versions.ts";
import { pingMethods } from "./ping.ts";
import { registrySettingsMethods } from "./registry-settings.ts";
import { repoEventBody, repoMethods } from "./repos.ts";
import { roleBindingMethods } from "./role-bindings.ts";
import { roleMethods } from "./roles.ts";
import { subscriptionMethods } from "./subscriptions.ts";
import { syncStatusMethods } from "./sync-status.ts";
import { tagHistoryMethods } from "./tag-history.ts";
import { tagMethods } from "./tags.ts";
import { tagsSummaryMethods } from "./tags-summary.ts";
import { termsMethods } from "./terms.ts";

/** The handlers of all version 1 methods. */
export function v1Handlers(
  invoke: Invoke,
  engine: Engine,
  tagWrites: TagWrites,
): Iterable<readonly [DescMethod, Handler]> {
  return [
    ...groupMethods(invoke),
    ...identityMethods(invoke, engine),
    ...roleMethods(invoke),
    ...roleBindingMethods(invoke),
    ...groupInviteMethods(invoke, engine),
    ...identityProviderMethods(invoke),
    ...accountAssociationMethods(invoke),
    ...externalGroupRoleMappingMethods(invoke),
    ...repoMethods(invoke, new ReposWithReadme(engine, repoEventBody)),
    ...tagMethods(invoke, tagWrites),
    ...tagsSummaryMethods(invoke),
    ...tagHistoryMethods(invoke),
    ...imageMethods(invoke),
    ...deploymentMethods(invoke),
    ...packageVersionMethods(invoke),
    ...registrySettingsMethods(invoke),
    ...subscriptionMethods(invoke),
    ...termsMethods(invoke),
    ...syncStatusMethods(),
    ...entitlementMethods(),
    ...pingMethods(invoke),
  ];
}
