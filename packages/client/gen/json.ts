// Written by `npm run generate`. Do not edit.

import type * as M from "@wharf/contract/messages";
import type * as W from "@bufbuild/protobuf/wkt";
import { method } from "../src/json/method.ts";

export const JSON_SERVICES = {
  audit: {
    listEntries: method<M.ListAuditEntriesRequestJson, M.ListAuditEntriesResponseJson>("GET", "/audit/v2beta1/entries"),
    getEntry: method<M.GetAuditEntryRequestJson, M.AuditEntryJson>("GET", "/audit/v2beta1/entries/{uid}"),
    getEntryCounts: method<M.GetAuditEntryCountsRequestJson, M.GetAuditEntryCountsResponseJson>("GET", "/audit/v2beta1/entries:count"),
    exportEntries: method<M.ExportAuditEntriesRequestJson, M.ExportAuditEntriesResponseJson>("GET", "/audit/v2beta1/entries:export"),
    watchEntries: method<M.WatchAuditEntriesRequestJson, M.AuditEntryJson>("GET", "/audit/v2beta1/entries:watch"),
  },
  auth: {
    validate: method<W.EmptyJson, M.WhoAmIJson>("GET", "/auth/v1/ok"),
    register: method<M.RegistrationRequestJson, M.SessionJson>("POST", "/auth/v1/register", "*"),
    getHeadlessSession: method<M.GetHeadlessSessionRequestJson, M.HeadlessSessionJson>("GET", "/sts/headless_sessions"),
    delete: method<M.DeletionRequestJson, W.EmptyJson>("DELETE", "/auth/v1/delete/{id}"),
  },
  sessions: {
    list: method<M.ListSessionsRequestJson, M.ListSessionsResponseJson>("GET", "/auth/v1/sessions"),
    end: method<M.EndSessionRequestJson, W.EmptyJson>("DELETE", "/auth/v1/sessions/{id}"),
    logout: method<M.LogoutRequestJson, W.EmptyJson>("POST", "/auth/v1/logout", "*"),
  },
  deliveries: {
    list: method<M.ListDeliveriesRequestJson, M.ListDeliveriesResponseJson>("GET", "/events/v2beta1/deliveries/{subscriptionUid}"),
    redeliverEvents: method<M.RedeliverEventsRequestJson, M.RedeliverEventsResponseJson>("POST", "/events/v2beta1/deliveries/{subscriptionUid}:redeliver", "*"),
  },
  events: {
    list: method<M.ListEventsRequestJson, M.ListEventsResponseJson>("GET", "/events/v2beta1/events/{group}"),
    watch: method<M.WatchEventsRequestJson, M.EventJson>("GET", "/events/v2beta1/events/{group}:watch"),
    previewFilter: method<M.PreviewFilterRequestJson, M.PreviewFilterResponseJson>("POST", "/events/v2beta1/events/{group}:previewFilter", "*"),
  },
  subscriptions: {
    create: method<M.CreateSubscriptionRequestJson, M.SubscriptionJson>("POST", "/events/v2beta1/subscriptions/{parent}", "subscription"),
    get: method<M.GetSubscriptionRequestJson, M.SubscriptionJson>("GET", "/events/v2beta1/subscriptions/{uid}"),
    list: method<M.ListSubscriptionsRequestJson, M.ListSubscriptionsResponseJson>("GET", "/events/v2beta1/subscriptions"),
    update: method<M.UpdateSubscriptionRequestJson, M.SubscriptionJson>("PATCH", "/events/v2beta1/subscriptions/{subscription.uid}", "subscription"),
    delete: method<M.DeleteSubscriptionRequestJson, W.EmptyJson>("DELETE", "/events/v2beta1/subscriptions/{uid}"),
    test: method<M.TestSubscriptionRequestJson, M.TestSubscriptionResponseJson>("POST", "/events/v2beta1/subscriptions/{uid}:test", "*"),
    rotateSecret: method<M.RotateSubscriptionSecretRequestJson, M.RotateSubscriptionSecretResponseJson>("POST", "/events/v2beta1/subscriptions/{uid}:rotateSecret", "*"),
  },
  accountAssociations: {
    get: method<M.GetAccountAssociationRequestJson, M.AccountAssociationJson>("GET", "/iam/v2beta1/accountAssociations/{uid}"),
    create: method<M.CreateAccountAssociationRequestJson, M.AccountAssociationJson>("POST", "/iam/v2beta1/accountAssociations/{parent}", "accountAssociation"),
    delete: method<M.DeleteAccountAssociationRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/accountAssociations/{uid}"),
    list: method<M.ListAccountAssociationsRequestJson, M.ListAccountAssociationsResponseJson>("GET", "/iam/v2beta1/accountAssociations"),
    update: method<M.UpdateAccountAssociationRequestJson, M.AccountAssociationJson>("PATCH", "/iam/v2beta1/accountAssociations/{accountAssociation.uid}", "accountAssociation"),
    check: method<M.CheckAccountAssociationRequestJson, M.CheckAccountAssociationResponseJson>("POST", "/iam/v2beta1/accountAssociations/{uid}:checkAccountAssociation", "*"),
  },
  externalGroupRoleMappings: {
    get: method<M.GetExternalGroupRoleMappingRequestJson, M.ExternalGroupRoleMappingJson>("GET", "/iam/v2beta1/externalGroupRoleMappings/{uid}"),
    create: method<M.CreateExternalGroupRoleMappingRequestJson, M.ExternalGroupRoleMappingJson>("POST", "/iam/v2beta1/externalGroupRoleMappings/{parent}", "externalGroupRoleMapping"),
    delete: method<M.DeleteExternalGroupRoleMappingRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/externalGroupRoleMappings/{uid}"),
    batchDelete: method<M.BatchDeleteExternalGroupRoleMappingsRequestJson, M.BatchDeleteExternalGroupRoleMappingsResponseJson>("POST", "/iam/v2beta1/externalGroupRoleMappings:batchDelete", "*"),
    list: method<M.ListExternalGroupRoleMappingsRequestJson, M.ListExternalGroupRoleMappingsResponseJson>("GET", "/iam/v2beta1/externalGroupRoleMappings"),
  },
  groupInvites: {
    create: method<M.CreateGroupInviteRequestJson, M.GroupInviteJson>("POST", "/iam/v2beta1/groupInvites/{parent}", "groupInvite"),
    get: method<M.GetGroupInviteRequestJson, M.GroupInviteJson>("GET", "/iam/v2beta1/groupInvites/{uid}"),
    delete: method<M.DeleteGroupInviteRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/groupInvites/{uid}"),
    list: method<M.ListGroupInvitesRequestJson, M.ListGroupInvitesResponseJson>("GET", "/iam/v2beta1/groupInvites"),
    update: method<M.UpdateGroupInviteRequestJson, M.GroupInviteJson>("PATCH", "/iam/v2beta1/groupInvites/{groupInvite.uid}", "groupInvite"),
  },
  groups: {
    get: method<M.GetGroupRequestJson, M.GroupJson>("GET", "/iam/v2beta1/groups/{uid}"),
    delete: method<M.DeleteGroupRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/groups/{uid}"),
    list: method<M.ListGroupsRequestJson, M.ListGroupsResponseJson>("GET", "/iam/v2beta1/groups"),
    create: method<M.CreateGroupRequestJson, M.GroupJson>("POST", "/iam/v2beta1/groups/{parent?}", "group"),
    update: method<M.UpdateGroupRequestJson, M.GroupJson>("PATCH", "/iam/v2beta1/groups/{group.uid}", "group"),
  },
  identities: {
    create: method<M.CreateIdentityRequestJson, M.IdentityJson>("POST", "/iam/v2beta1/identities/{parent}", "identity"),
    get: method<M.GetIdentityRequestJson, M.IdentityJson>("GET", "/iam/v2beta1/identities/{uid}"),
    delete: method<M.DeleteIdentityRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/identities/{uid}"),
    update: method<M.UpdateIdentityRequestJson, M.IdentityJson>("PATCH", "/iam/v2beta1/identities/{identity.uid}", "identity"),
    list: method<M.ListIdentitiesRequestJson, M.ListIdentitiesResponseJson>("GET", "/iam/v2beta1/identities"),
    lookup: method<M.LookupIdentityRequestJson, M.LookupIdentityResponseJson>("GET", "/iam/v2beta1/identities:lookupIdentity"),
    test: method<M.TestIdentityRequestJson, M.TestIdentityResponseJson>("POST", "/iam/v2beta1/identities/{uid}:test", "*"),
  },
  identityProviders: {
    list: method<M.ListIdentityProvidersRequestJson, M.ListIdentityProvidersResponseJson>("GET", "/iam/v2beta1/identityProviders"),
    get: method<M.GetIdentityProviderRequestJson, M.IdentityProviderJson>("GET", "/iam/v2beta1/identityProviders/{uid}"),
    create: method<M.CreateIdentityProviderRequestJson, M.IdentityProviderJson>("POST", "/iam/v2beta1/identityProviders/{parent}", "identityProvider"),
    update: method<M.UpdateIdentityProviderRequestJson, M.IdentityProviderJson>("PATCH", "/iam/v2beta1/identityProviders/{identityProvider.uid}", "identityProvider"),
    delete: method<M.DeleteIdentityProviderRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/identityProviders/{uid}"),
    generateScimToken: method<M.GenerateScimTokenRequestJson, M.GenerateScimTokenResponseJson>("POST", "/iam/v2beta1/identityProviders/{identityProviderUid}:generateScimToken", "*"),
    regenerateScimToken: method<M.RegenerateScimTokenRequestJson, M.RegenerateScimTokenResponseJson>("POST", "/iam/v2beta1/identityProviders/{identityProviderUid}:regenerateScimToken", "*"),
    revokeScimToken: method<M.RevokeScimTokenRequestJson, M.RevokeScimTokenResponseJson>("POST", "/iam/v2beta1/identityProviders/{identityProviderUid}:revokeScimToken", "*"),
    setScimEnabled: method<M.SetScimEnabledRequestJson, M.SetScimEnabledResponseJson>("POST", "/iam/v2beta1/identityProviders/{identityProviderUid}:setScimEnabled", "*"),
  },
  roleBindings: {
    get: method<M.GetRoleBindingRequestJson, M.RoleBindingJson>("GET", "/iam/v2beta1/roleBindings/{uid}"),
    create: method<M.CreateRoleBindingRequestJson, M.RoleBindingJson>("POST", "/iam/v2beta1/roleBindings/{parent}", "roleBinding"),
    delete: method<M.DeleteRoleBindingRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/roleBindings/{uid}"),
    list: method<M.ListRoleBindingsRequestJson, M.ListRoleBindingsResponseJson>("GET", "/iam/v2beta1/roleBindings"),
    batchCreate: method<M.BatchCreateRoleBindingsRequestJson, M.BatchCreateRoleBindingsResponseJson>("POST", "/iam/v2beta1/roleBindings:batchCreate", "*"),
    update: method<M.UpdateRoleBindingRequestJson, M.RoleBindingJson>("PATCH", "/iam/v2beta1/roleBindings/{roleBinding.uid}", "roleBinding"),
  },
  roles: {
    get: method<M.GetRoleRequestJson, M.RoleJson>("GET", "/iam/v2beta1/roles/{uid}"),
    list: method<M.ListRolesRequestJson, M.ListRolesResponseJson>("GET", "/iam/v2beta1/roles"),
    create: method<M.CreateRoleRequestJson, M.RoleJson>("POST", "/iam/v2beta1/roles/{parent}", "role"),
    update: method<M.UpdateRoleRequestJson, M.RoleJson>("PATCH", "/iam/v2beta1/roles/{role.uid}", "role"),
    delete: method<M.DeleteRoleRequestJson, W.EmptyJson>("DELETE", "/iam/v2beta1/roles/{uid}"),
  },
  installation: {
    get: method<M.GetInstallationRequestJson, M.InstallationJson>("GET", "/installation/v2beta1/installation"),
    getStatus: method<M.GetInstallationStatusRequestJson, M.InstallationStatusJson>("GET", "/installation/v2beta1/status"),
    listSigningKeys: method<M.ListSigningKeysRequestJson, M.ListSigningKeysResponseJson>("GET", "/installation/v2beta1/signingKeys"),
    rotateSigningKeys: method<M.RotateSigningKeysRequestJson, M.RotateSigningKeysResponseJson>("POST", "/installation/v2beta1/signingKeys:rotate", "*"),
  },
  sts: {
    exchange: method<M.ExchangeRequestJson, M.RawTokenJson>("GET", "/sts/exchange"),
    exchangeRefreshToken: method<M.ExchangeRefreshTokenRequestJson, M.TokenPairJson>("POST", "/sts/exchange_refresh_token"),
  },
  ping: {
    ping: method<M.PingRequestJson, M.PingResponseJson>("GET", "/ping/v2beta1/ping"),
  },
  deployments: {
    get: method<M.GetDeploymentRequestJson, M.DeploymentJson>("GET", "/registry/v2beta1/deployments/{uid}"),
    list: method<M.ListDeploymentsRequestJson, M.ListDeploymentsResponseJson>("GET", "/registry/v2beta1/deployments"),
    create: method<M.CreateDeploymentRequestJson, M.DeploymentJson>("POST", "/registry/v2beta1/deployments/{parent}", "deployment"),
    update: method<M.UpdateDeploymentRequestJson, M.DeploymentJson>("PATCH", "/registry/v2beta1/deployments/{deployment.uid}", "deployment"),
    delete: method<M.DeleteDeploymentRequestJson, W.EmptyJson>("DELETE", "/registry/v2beta1/deployments/{uid}"),
  },
  images: {
    getArchitectures: method<M.GetArchitecturesRequestJson, M.ArchitecturesJson>("GET", "/registry/v2beta1/repos/{repoUid}/digests/{digest}/architectures"),
    getSize: method<M.GetSizeRequestJson, M.SizeJson>("GET", "/registry/v2beta1/repos/{repoUid}/digests/{digest}/size"),
    getConfig: method<M.GetImageConfigRequestJson, M.ImageConfigJson>("GET", "/registry/v2beta1/repos/{repoUid}/digests/{digest}/config"),
    list: method<M.ListImagesRequestJson, M.ListImagesResponseJson>("GET", "/registry/v2beta1/repos/{repoUid}/images"),
    delete: method<M.DeleteImageRequestJson, W.EmptyJson>("DELETE", "/registry/v2beta1/repos/{repoUid}/digests/{digest}"),
    listLocations: method<M.ListImageLocationsRequestJson, M.ListImageLocationsResponseJson>("GET", "/registry/v2beta1/repos/{repoUid}/locations"),
  },
  packages: {
    get: method<M.GetPackageRequestJson, M.PackageJson>("GET", "/registry/v2beta1/packages/{uid}"),
    list: method<M.ListPackagesRequestJson, M.ListPackagesResponseJson>("GET", "/registry/v2beta1/packages"),
    create: method<M.CreatePackageRequestJson, M.PackageJson>("POST", "/registry/v2beta1/packages", "package"),
    update: method<M.UpdatePackageRequestJson, M.PackageJson>("PATCH", "/registry/v2beta1/packages/{package.uid}", "package"),
    delete: method<M.DeletePackageRequestJson, W.EmptyJson>("DELETE", "/registry/v2beta1/packages/{uid}"),
  },
  registries: {
    list: method<M.ListRegistriesRequestJson, M.ListRegistriesResponseJson>("GET", "/registry/v2beta1/registries"),
    reconcile: method<M.ReconcileRegistriesRequestJson, M.ReconcileRegistriesResponseJson>("POST", "/registry/v2beta1/registries:reconcile", "*"),
  },
  repos: {
    get: method<M.GetRepoRequestJson, M.RepoJson>("GET", "/registry/v2beta1/repos/{uid}"),
    create: method<M.CreateRepoRequestJson, M.RepoJson>("POST", "/registry/v2beta1/repos/{parent}", "repo"),
    update: method<M.UpdateRepoRequestJson, M.RepoJson>("PATCH", "/registry/v2beta1/repos/{repo.uid}", "repo"),
    delete: method<M.DeleteRepoRequestJson, W.EmptyJson>("DELETE", "/registry/v2beta1/repos/{uid}"),
    list: method<M.ListReposRequestJson, M.ListReposResponseJson>("GET", "/registry/v2beta1/repos"),
    getReadme: method<M.GetRepoReadmeRequestJson, M.RepoReadmeJson>("GET", "/registry/v2beta1/repos/{uid}/readme"),
    updateReadme: method<M.UpdateRepoReadmeRequestJson, M.RepoReadmeJson>("PATCH", "/registry/v2beta1/repos/{repoReadme.uid}/readme", "repoReadme"),
  },
  registrySettings: {
    get: method<M.GetRegistrySettingsRequestJson, M.RegistrySettingsJson>("GET", "/registry/v2beta1/settings/{groupUid}"),
    update: method<M.UpdateRegistrySettingsRequestJson, M.RegistrySettingsJson>("PATCH", "/registry/v2beta1/settings/{registrySettings.groupUid}", "registrySettings"),
  },
  tags: {
    get: method<M.GetTagRequestJson, M.TagJson>("GET", "/registry/v2beta1/tags/{uid}"),
    list: method<M.ListTagsRequestJson, M.ListTagsResponseJson>("GET", "/registry/v2beta1/tags"),
    create: method<M.CreateTagRequestJson, M.TagJson>("POST", "/registry/v2beta1/tags/{parent}", "tag"),
    delete: method<M.DeleteTagRequestJson, W.EmptyJson>("DELETE", "/registry/v2beta1/tags/{uid}"),
    listHistory: method<M.ListTagHistoryRequestJson, M.ListTagHistoryResponseJson>("GET", "/registry/v2beta1/tags/{uid}/history"),
  },
  advisories: {
    get: method<M.GetAdvisoryRequestJson, M.AdvisoryJson>("GET", "/vulnerabilities/v2beta1/advisories/{uid}"),
    list: method<M.ListAdvisoriesRequestJson, M.ListAdvisoriesResponseJson>("GET", "/vulnerabilities/v2beta1/advisories"),
  },
  advisoryImports: {
    importAdvisories: method<M.ImportAdvisoriesRequestJson, M.ImportAdvisoriesResponseJson>("POST", "/vulnerabilities/v2beta1/advisories/{parent}:import", "*"),
  },
} as const;
