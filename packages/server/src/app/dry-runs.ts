import { type DescService, fromBinary } from "@bufbuild/protobuf";
import { withoutSecrets } from "../engine/resource.ts";
import type { DryRuns } from "../rpc/dry-run.ts";
import { messageReply } from "../rpc/reply.ts";
import { methodsNamed } from "./document-methods.ts";

/**
 * The methods that can be tried, by service. All that they do is in transactions of their call (`Store.writeFor`), which a
 * dry run rolls back. Everything else rejects dry runs: what issues tokens or sessions, and what calls clouds and registries.
 */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  "wharf.auth.Auth": ["Delete"],
  "wharf.auth.SessionsService": ["EndSession", "Logout"],
  "wharf.events.v2beta1.DeliveriesService": ["RedeliverEvents"],
  "wharf.events.v2beta1.EventsService": ["PreviewFilter"],
  "wharf.events.v2beta1.SubscriptionsService": [
    "CreateSubscription",
    "UpdateSubscription",
    "DeleteSubscription",
    "TestSubscription",
    "RotateSubscriptionSecret",
  ],
  "wharf.exposure.v2beta1.DecisionsService": [
    "CreateDecision",
    "UpdateDecision",
    "DeleteDecision",
    "ReviewDecision",
  ],
  "wharf.exposure.v2beta1.ScanReportsService": ["UploadScanReport"],
  "wharf.exposure.v2beta1.VulnerabilitySourcesService": [
    "CreateVulnerabilitySource",
    "UpdateVulnerabilitySource",
    "DeleteVulnerabilitySource",
    "RunVulnerabilitySource",
  ],
  "wharf.iam.v2beta1.AccessService": ["BatchCheckAccess"],
  "wharf.iam.v2beta1.AccountAssociationsService": [
    "CreateAccountAssociation",
    "UpdateAccountAssociation",
    "DeleteAccountAssociation",
  ],
  "wharf.iam.v2beta1.ExternalGroupRoleMappingsService": [
    "CreateExternalGroupRoleMapping",
    "DeleteExternalGroupRoleMapping",
    "BatchDeleteExternalGroupRoleMappings",
  ],
  "wharf.iam.v2beta1.GroupInvitesService": [
    "CreateGroupInvite",
    "UpdateGroupInvite",
    "DeleteGroupInvite",
  ],
  "wharf.iam.v2beta1.GroupsService": ["CreateGroup", "UpdateGroup", "DeleteGroup"],
  "wharf.iam.v2beta1.IdentitiesService": ["CreateIdentity", "UpdateIdentity", "DeleteIdentity"],
  "wharf.iam.v2beta1.IdentityProvidersService": [
    "CreateIdentityProvider",
    "UpdateIdentityProvider",
    "DeleteIdentityProvider",
    "GenerateScimToken",
    "RegenerateScimToken",
    "RevokeScimToken",
    "SetScimEnabled",
  ],
  "wharf.iam.v2beta1.OrganizationSettingsService": ["UpdateOrganizationSettings"],
  "wharf.iam.v2beta1.RoleBindingsService": [
    "CreateRoleBinding",
    "BatchCreateRoleBindings",
    "UpdateRoleBinding",
    "DeleteRoleBinding",
  ],
  "wharf.iam.v2beta1.RolesService": ["CreateRole", "UpdateRole", "DeleteRole"],
  "wharf.registry.v2beta1.DeploymentsService": [
    "CreateDeployment",
    "UpdateDeployment",
    "DeleteDeployment",
  ],
  "wharf.registry.v2beta1.DeletedTagsService": ["RestoreTag"],
  "wharf.registry.v2beta1.PackagesService": ["CreatePackage", "UpdatePackage", "DeletePackage"],
  "wharf.registry.v2beta1.UpstreamsService": [
    "CreateUpstream",
    "UpdateUpstream",
    "DeleteUpstream",
    "SyncUpstream",
  ],
  "wharf.registry.v2beta1.ReposService": [
    "CreateRepo",
    "UpdateRepo",
    "DeleteRepo",
    "UpdateRepoReadme",
  ],
  "wharf.registry.v2beta1.RegistrySettingsService": ["UpdateRegistrySettings"],
  "wharf.registry.v2beta1.RetentionPoliciesService": [
    "CreateRetentionPolicy",
    "UpdateRetentionPolicy",
    "DeleteRetentionPolicy",
  ],
  "wharf.registry.v2beta1.TagRulesService": ["CreateTagRule", "UpdateTagRule", "DeleteTagRule"],
  // Rejected for tags in attached registries.
  "wharf.registry.v2beta1.TagsService": ["CreateTag", "DeleteTag"],
  "wharf.registry.v2beta1.VerificationKeysService": [
    "CreateVerificationKey",
    "UpdateVerificationKey",
    "DeleteVerificationKey",
  ],
  "wharf.vulnerabilities.v2beta1.AdvisoryImportsService": ["ImportAdvisories"],
  "wharf.vulnerabilities.v1.Advisories": [
    "Create",
    "Update",
    "Delete",
    "CreateAdvisoryEvent",
    "UpdateAdvisoryEvent",
  ],
  "wharf.events.v1.Subscriptions": ["Create", "Delete"],
  "wharf.iam.v1.GroupAccountAssociations": ["Create", "Update", "Delete"],
  "wharf.iam.v1.ExternalGroupRoleMappings": ["Create", "Delete", "BatchDelete"],
  "wharf.iam.v1.GroupInvites": ["Create", "CreateWithGroup", "Delete"],
  "wharf.iam.v1.Groups": ["Create", "Update", "Delete"],
  "wharf.iam.v1.Identities": ["Create", "Update", "Delete"],
  "wharf.iam.v1.IdentityProviders": [
    "Create",
    "Update",
    "Delete",
    "GenerateScimToken",
    "RegenerateScimToken",
    "RevokeScimToken",
    "SetScimEnabled",
  ],
  "wharf.iam.v1.RoleBindings": ["Create", "CreateBatch", "Update", "Delete"],
  "wharf.iam.v1.Roles": ["Create", "Update", "Delete"],
  "wharf.registry.v1.Registry": [
    "CreateRepo",
    "UpdateRepo",
    "DeleteRepo",
    "CreateTag",
    "UpdateTag",
    "DeleteTag",
    "CreateDeployment",
    "UpdateDeployment",
    "UpdateRegistrySettings",
  ],
};

/** The dry runs of these services. */
export function dryRunsOf(services: readonly DescService[]): DryRuns {
  return {
    methods: methodsNamed(services, TRIED),
    withoutSecrets({ output }, reply) {
      return messageReply(output, withoutSecrets(output, fromBinary(output, reply.binary())));
    },
  };
}
