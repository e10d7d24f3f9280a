// Written by `npm run generate`. Do not edit.

import type { DescService } from "@bufbuild/protobuf";
import { SecurityAdvisoryService } from "./wharf/advisory/v2beta1/advisory_pb.js";
import { AuditService } from "./wharf/audit/v2beta1/audit_pb.js";
import { Auth } from "./wharf/auth/auth_pb.js";
import { SessionsService } from "./wharf/auth/sessions_pb.js";
import { DeliveriesService } from "./wharf/events/v2beta1/deliveries_pb.js";
import { EventsService } from "./wharf/events/v2beta1/events_pb.js";
import { SubscriptionsService } from "./wharf/events/v2beta1/subscriptions_pb.js";
import { DecisionsService } from "./wharf/exposure/v2beta1/decisions_pb.js";
import { FindingsService } from "./wharf/exposure/v2beta1/findings_pb.js";
import { InventoryService } from "./wharf/exposure/v2beta1/inventory_pb.js";
import { ScanReportsService } from "./wharf/exposure/v2beta1/scan_reports_pb.js";
import { VulnerabilitySourcesService } from "./wharf/exposure/v2beta1/vulnerability_sources_pb.js";
import { AccessService } from "./wharf/iam/v2beta1/access_pb.js";
import { AccountAssociationsService } from "./wharf/iam/v2beta1/account_associations_pb.js";
import { ExternalGroupRoleMappingsService } from "./wharf/iam/v2beta1/external_group_role_mappings_pb.js";
import { GroupInvitesService } from "./wharf/iam/v2beta1/group_invites_pb.js";
import { GroupsService } from "./wharf/iam/v2beta1/groups_pb.js";
import { IdentitiesService } from "./wharf/iam/v2beta1/identities_pb.js";
import { IdentityProvidersService } from "./wharf/iam/v2beta1/identity_providers_pb.js";
import { OrganizationSettingsService } from "./wharf/iam/v2beta1/organization_settings_pb.js";
import { RoleBindingsService } from "./wharf/iam/v2beta1/role_bindings_pb.js";
import { RolesService } from "./wharf/iam/v2beta1/roles_pb.js";
import { TermsService } from "./wharf/iam/v2beta1/terms_pb.js";
import { InstallationService } from "./wharf/installation/v2beta1/installation_pb.js";
import { SecurityTokenService } from "./wharf/oidc/security_token_service_pb.js";
import { PingService } from "./wharf/ping/v2beta1/ping_pb.js";
import { DeletedTagsService } from "./wharf/registry/v2beta1/deleted_tags_pb.js";
import { DeploymentsService } from "./wharf/registry/v2beta1/deployments_pb.js";
import { ImagesService } from "./wharf/registry/v2beta1/images_pb.js";
import { PackagesService } from "./wharf/registry/v2beta1/packages_pb.js";
import { RegistriesService } from "./wharf/registry/v2beta1/registries_pb.js";
import { ReposService } from "./wharf/registry/v2beta1/repos_pb.js";
import { RetentionPoliciesService } from "./wharf/registry/v2beta1/retention_policies_pb.js";
import { RegistrySettingsService } from "./wharf/registry/v2beta1/settings_pb.js";
import { SignaturesService } from "./wharf/registry/v2beta1/signatures_pb.js";
import { RegistryStorageService } from "./wharf/registry/v2beta1/storage_pb.js";
import { TagRulesService } from "./wharf/registry/v2beta1/tag_rules_pb.js";
import { TagsService } from "./wharf/registry/v2beta1/tags_pb.js";
import { UpstreamsService } from "./wharf/registry/v2beta1/upstreams_pb.js";
import { RegistryUsageService } from "./wharf/registry/v2beta1/usage_pb.js";
import { VerificationKeysService } from "./wharf/registry/v2beta1/verification_keys_pb.js";
import { Advisories } from "./wharf/vulnerabilities/v1/advisories_pb.js";
import { AdvisoriesService } from "./wharf/vulnerabilities/v2beta1/advisories_pb.js";
import { AdvisoryImportsService } from "./wharf/vulnerabilities/v2beta1/imports_pb.js";

export const SERVICES: readonly DescService[] = Object.freeze([
  SecurityAdvisoryService,
  AuditService,
  Auth,
  SessionsService,
  DeliveriesService,
  EventsService,
  SubscriptionsService,
  DecisionsService,
  FindingsService,
  InventoryService,
  ScanReportsService,
  VulnerabilitySourcesService,
  AccessService,
  AccountAssociationsService,
  ExternalGroupRoleMappingsService,
  GroupInvitesService,
  GroupsService,
  IdentitiesService,
  IdentityProvidersService,
  OrganizationSettingsService,
  RoleBindingsService,
  RolesService,
  TermsService,
  InstallationService,
  SecurityTokenService,
  PingService,
  DeletedTagsService,
  DeploymentsService,
  ImagesService,
  PackagesService,
  RegistriesService,
  ReposService,
  RetentionPoliciesService,
  RegistrySettingsService,
  SignaturesService,
  RegistryStorageService,
  TagRulesService,
  TagsService,
  UpstreamsService,
  RegistryUsageService,
  VerificationKeysService,
  Advisories,
  AdvisoriesService,
  AdvisoryImportsService,
]);
