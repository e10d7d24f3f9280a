/**
 * The v2 successor of each v1 method and field, where it does not follow from the names. The guide's
 * tables are generated from this and the contract; a method or field without successor is an error.
 */

/** The v2 methods by v1 method: several where one call becomes several, none if v2 has no such method. */
export const METHODS: Readonly<Record<string, readonly string[]>> = {
  "Groups/Create": ["GroupsService/CreateGroup"],
  "Groups/Update": ["GroupsService/UpdateGroup"],
  "Groups/List": ["GroupsService/ListGroups"],
  "Groups/Delete": ["GroupsService/DeleteGroup"],
  "Identities/Create": ["IdentitiesService/CreateIdentity"],
  "Identities/Update": ["IdentitiesService/UpdateIdentity"],
  "Identities/List": ["IdentitiesService/ListIdentities"],
  "Identities/Lookup": ["IdentitiesService/LookupIdentity", "IdentitiesService/GetIdentity"],
  "Identities/Delete": ["IdentitiesService/DeleteIdentity"],
  "Roles/Create": ["RolesService/CreateRole"],
  "Roles/Update": ["RolesService/UpdateRole"],
  "Roles/List": ["RolesService/ListRoles"],
  "Roles/Delete": ["RolesService/DeleteRole"],
  "RoleBindings/Create": ["RoleBindingsService/CreateRoleBinding"],
  "RoleBindings/CreateBatch": ["RoleBindingsService/BatchCreateRoleBindings"],
  "RoleBindings/Update": ["RoleBindingsService/UpdateRoleBinding"],
  "RoleBindings/List": ["RoleBindingsService/ListRoleBindings"],
  "RoleBindings/Delete": ["RoleBindingsService/DeleteRoleBinding"],
  "GroupInvites/Create": ["GroupInvitesService/CreateGroupInvite"],
  "GroupInvites/CreateWithGroup": [
    "GroupsService/CreateGroup",
    "GroupInvitesService/CreateGroupInvite",
  ],
  "GroupInvites/List": ["GroupInvitesService/ListGroupInvites"],
  "GroupInvites/Delete": ["GroupInvitesService/DeleteGroupInvite"],
  "IdentityProviders/Create": ["IdentityProvidersService/CreateIdentityProvider"],
  "IdentityProviders/Update": ["IdentityProvidersService/UpdateIdentityProvider"],
  "IdentityProviders/List": ["IdentityProvidersService/ListIdentityProviders"],
  "IdentityProviders/Delete": ["IdentityProvidersService/DeleteIdentityProvider"],
  "IdentityProviders/GenerateScimToken": ["IdentityProvidersService/GenerateScimToken"],
  "IdentityProviders/RegenerateScimToken": ["IdentityProvidersService/RegenerateScimToken"],
  "IdentityProviders/RevokeScimToken": ["IdentityProvidersService/RevokeScimToken"],
  "IdentityProviders/SetScimEnabled": ["IdentityProvidersService/SetScimEnabled"],
  "GroupAccountAssociations/Create": ["AccountAssociationsService/CreateAccountAssociation"],
  "GroupAccountAssociations/Update": ["AccountAssociationsService/UpdateAccountAssociation"],
  "GroupAccountAssociations/List": ["AccountAssociationsService/ListAccountAssociations"],
  "GroupAccountAssociations/Delete": ["AccountAssociationsService/DeleteAccountAssociation"],
  "GroupAccountAssociations/Check": ["AccountAssociationsService/CheckAccountAssociation"],
  "ExternalGroupRoleMappings/Create": [
    "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping",
  ],
  "ExternalGroupRoleMappings/Get": ["ExternalGroupRoleMappingsService/GetExternalGroupRoleMapping"],
  "ExternalGroupRoleMappings/List": [
    "ExternalGroupRoleMappingsService/ListExternalGroupRoleMappings",
  ],
  "ExternalGroupRoleMappings/Delete": [
    "ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping",
  ],
  "ExternalGroupRoleMappings/BatchDelete": [
    "ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings",
  ],
  "Subscriptions/Create": ["SubscriptionsService/CreateSubscription"],
  "Subscriptions/List": ["SubscriptionsService/ListSubscriptions"],
  "Subscriptions/Delete": ["SubscriptionsService/DeleteSubscription"],
  "Registry/CreateRepo": ["ReposService/CreateRepo", "ReposService/UpdateRepoReadme"],
  "Registry/UpdateRepo": ["ReposService/UpdateRepo", "ReposService/UpdateRepoReadme"],
  "Registry/ListRepos": ["ReposService/ListRepos", "ReposService/GetRepoReadme"],
  "Registry/GetRepoCountBySource": ["ReposService/ListRepos"],
  "Registry/DeleteRepo": ["ReposService/DeleteRepo"],
  "Registry/CreateTag": ["TagsService/CreateTag"],
  "Registry/UpdateTag": ["TagsService/CreateTag"],
  "Registry/DeleteTag": ["TagsService/DeleteTag"],
  "Registry/ListTags": ["TagsService/ListTags"],
  "Registry/GetRepoTagsSummary": ["TagsService/ListTags"],
  "Registry/ListEolTags": ["TagsService/ListTags"],
  "Registry/ListTagHistory": ["TagsService/ListTagHistory"],
  "Registry/GetImageConfig": ["ImagesService/GetImageConfig"],
  "Registry/GetArchs": ["ImagesService/GetArchitectures"],
  "Registry/GetSize": ["ImagesService/GetSize"],
  "Registry/GetPackageVersionMetadata": ["PackagesService/ListPackages"],
  "Registry/CreateDeployment": ["DeploymentsService/CreateDeployment"],
  "Registry/UpdateDeployment": ["DeploymentsService/UpdateDeployment"],
  "Registry/GetDeployment": ["DeploymentsService/GetDeployment"],
  "Registry/GetRegistrySettings": ["RegistrySettingsService/GetRegistrySettings"],
  "Registry/UpdateRegistrySettings": ["RegistrySettingsService/UpdateRegistrySettings"],
  "PingService/Ping": ["PingService/Ping"],
  "Advisories/Create": [],
  "Advisories/List": ["AdvisoriesService/ListAdvisories"],
  "Advisories/Update": [],
  "Advisories/Delete": [],
  "Advisories/CreateAdvisoryEvent": [],
  "Advisories/ListAdvisoryEvents": ["AdvisoriesService/GetAdvisory"],
  "Advisories/UpdateAdvisoryEvent": [],
};

/** A v2 field, or why there is none. */
export type Successor = string | { readonly none: string };

function none(why: string): Successor {
  return { none: why };
}

/** Renamed in every message whose v2 counterpart has the new name. */
export const EVERYWHERE: Readonly<Record<string, string>> = {
  id: "uid",
  parent_id: "parent",
  created_at: "create_time",
  updated_at: "update_time",
  identity_provider_id: "identity_provider_uid",
};

const LISTED = { id: "uidp.ids" };
const HIDDEN = {
  exclude_referrers: "!include_referrers",
  exclude_dates: "!include_dates",
  exclude_epochs: "!include_epochs",
};
const IMAGE = { repo_id: "repo_uid", arch: "architecture" };
const MAPPING = { identity_provider_uidp: "identity_provider_uid", role_uidp: "role_uid" };
const NOT_KNOWN = none("always empty: not supported");

/**
 * Renamed fields, by message, or by service and message where two share a name. An exclamation mark
 * marks a field with the opposite meaning.
 */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, Successor>>>> = {
  GroupFilter: LISTED,
  IdentityFilter: LISTED,
  Identity: { last_seen: "last_seen_time", static: "static_keys" },
  StaticKeys: { expiration: "expiration_time" },
  RoleFilter: { ...LISTED, parent: "uidp.children_of" },
  RoleBinding: {
    identity: "identity_uid",
    role: "role_uid",
    group: none("ignored: the group is the parent of `uid`"),
  },
  CreateRoleBindingBatchRequest: { role_bindings: "requests.role_binding" },
  RoleBindingFilter: LISTED,
  Binding: {
    identity: "identity_uid",
    email: "identity.email",
    email_unverified: none("`emailUnverified` of the identity itself"),
    claim_match_issuer: "identity.issuer",
    claim_match_subject: "identity.subject",
  },
  GroupInviteRequest: {
    group: "parent",
    ttl: "group_invite.ttl",
    role: "group_invite.role_uid",
    email: "group_invite.email",
    single_use: "group_invite.single_use",
  },
  GroupInviteFilter: { ...LISTED, group: "uidp.children_of" },
  GroupInvite: { expiration: "expiration_time" },
  StoredGroupInvite: { expiration: "expiration_time" },
  IdentityProviderFilter: LISTED,
  AccountAssociations: { group: "uid" },
  AccountAssociationsFilter: { group: "uidp.ids" },
  DeleteAccountAssociationsRequest: { group: "uid" },
  AccountAssociationsCheckRequest: { group: "uid", account_type: "provider_type" },
  AccountAssociationsStatus: { ready: "status" },
  ExternalGroupRoleMapping: MAPPING,
  ExternalGroupRoleMappingFilter: MAPPING,
  CreateExternalGroupRoleMappingRequest: { mapping: "external_group_role_mapping" },
  BatchDeleteExternalGroupRoleMappingsRequest: { ids: "names" },
  CreateRepoRequest: {
    prevent_existing: none("always on: a second repo of a name is ALREADY_EXISTS"),
  },
  Repo: { readme: none("`content` of `…/repos/{uid}/readme`") },
  SyncConfig: { expiration: "expiration_time", sync_apks: none("has no effect") },
  "Registry:Group": { group_name: "groupname" },
  "Registry:User": { user_name: "username" },
  SubscriptionFilter: LISTED,
  RepoFilter: LISTED,
  GetRepoCountBySourceRequest: { id: "sync_source" },
  RepoCount: { count: "total_count" },
  Tag: { last_updated: "update_time" },
  CreateTagRequest: { repo_id: "parent" },
  TagFilter: { ...LISTED, ...HIDDEN },
  GetRepoTagsSummaryRequest: { ...HIDDEN, repo_id: "uidp.children_of" },
  RepoTagsSummary: {
    id: none("the requested repo"),
    tag_count: "total_count",
    last_updated: none("`updateTime` of the first with `order_by=updated_at desc`"),
    latest_tag: none("the tag with `name=latest`"),
    latest_version: none("the longest version among the tags with its `digest`"),
  },
  EolTagFilter: HIDDEN,
  EolTag: {
    tag_status: "deprecated",
    main_package_name: NOT_KNOWN,
    grace_status: NOT_KNOWN,
    grace_period_expiry_date: NOT_KNOWN,
  },
  TagHistoryFilter: {
    parent_id: "uid",
    start: none("newest first: stop reading there"),
    end: none("newest first: skip later ones"),
  },
  TagHistory: { update_timestamp: "update_time" },
  ImageConfigRequest: IMAGE,
  ArchRequest: IMAGE,
  SizeRequest: IMAGE,
  Archs: { archs: "architectures" },
  Size: { arch: "architecture" },
  PackageVersionMetadataRequest: { package: "name" },
  PackageVersionMetadata: {
    eol_versions: none("`packages.versions` with an `eolDate` that has come"),
    versions: none("the others of `packages.versions`"),
    last_updated_timestamp: "packages.update_time",
    latest_version: "packages.latest_version",
    grace_period_months: "packages.grace_period_months",
  },
  PackageVersion: { legacy_lts: "lts" },
  CreateDeploymentRequest: { charts: "deployment.charts" },
  UpdateDeploymentRequest: { repo_id: "deployment.uid", charts: "deployment.charts" },
  GetDeploymentRequest: { repo_id: "uid" },
  GetRegistrySettingsRequest: { registry_id: "group_uid" },
  RegistrySettings: { registry_id: "group_uid" },
  AdvisoryFilter: {
    ...LISTED,
    artifact_type: "artifact_types",
    artifact_name: "artifact_names",
    artifact_architecture: "artifact_architectures",
    component_name: "component_names",
    component_type: "component_types",
    component_location: "component_locations",
    event_statuses: "event_review_states",
    event_author: "event_authors",
    exclude_event_author: "exclude_event_authors",
    event_reviewer: "event_reviewers",
  },
  AdvisoriesList: { id: none("always empty") },
  Advisory: { deleted_at: "delete_time", legacyAdvisoryID: "legacy_advisory_id" },
  AdvisoryEvent: { timestamp: "create_time", status: "review_state" },
  ScanV1: { subpackage_name: "subpackage", component_name: "component" },
  AdvisoryEventFilter: { parent_id: "uid" },
  AdvisoryEventList: { parent_id: "uid", items: "events" },
};
