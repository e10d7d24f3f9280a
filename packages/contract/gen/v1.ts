// Written by `npm run generate`. Do not edit.

export * as advisoryV1 from "./wharf/advisory/v1/advisory_pb.js";
export * as apkV1 from "./wharf/apk/v1/apk_pb.js";
export * as argosOsvV1 from "./wharf/argos/v1/argos_osv_pb.js";
export * as argosVulnsV1 from "./wharf/argos/v1/argos_vulns_pb.js";
export * as subscriptionsV1 from "./wharf/events/v1/subscriptions_pb.js";
export * as accountAssociationsV1 from "./wharf/iam/v1/account_associations_pb.js";
export * as externalGroupRoleMappingsV1 from "./wharf/iam/v1/external_group_role_mappings_pb.js";
export * as groupInvitesV1 from "./wharf/iam/v1/group_invites_pb.js";
export * as groupsV1 from "./wharf/iam/v1/groups_pb.js";
export * as identitiesV1 from "./wharf/iam/v1/identities_pb.js";
export * as identityProvidersV1 from "./wharf/iam/v1/identity_providers_pb.js";
export * as roleBindingsV1 from "./wharf/iam/v1/role_bindings_pb.js";
export * as rolesV1 from "./wharf/iam/v1/roles_pb.js";
export * as termsV1 from "./wharf/iam/v1/terms_pb.js";
export * as pingV1 from "./wharf/ping/v1/ping_pb.js";
export * as productsV1 from "./wharf/products/v1/products_pb.js";
export * as entitlementsV1 from "./wharf/registry/v1/entitlements_pb.js";
export * as overlayV1 from "./wharf/registry/v1/overlay_pb.js";
export * as registryV1 from "./wharf/registry/v1/registry_pb.js";
export * as vulnerabilitiesV1 from "./wharf/registry/v1/vulnerabilities_pb.js";
export * as sbomV1 from "./wharf/tenant/v1/sbom_pb.js";
export * as vulnV1 from "./wharf/tenant/v1/vuln_pb.js";

import type { DescService } from "@bufbuild/protobuf";
import { SecurityAdvisory } from "./wharf/advisory/v1/advisory_pb.js";
import { APK } from "./wharf/apk/v1/apk_pb.js";
import { ArgosOSV } from "./wharf/argos/v1/argos_osv_pb.js";
import { ArgosVulns } from "./wharf/argos/v1/argos_vulns_pb.js";
import { Subscriptions } from "./wharf/events/v1/subscriptions_pb.js";
import { GroupAccountAssociations } from "./wharf/iam/v1/account_associations_pb.js";
import { ExternalGroupRoleMappings } from "./wharf/iam/v1/external_group_role_mappings_pb.js";
import { GroupInvites } from "./wharf/iam/v1/group_invites_pb.js";
import { Groups } from "./wharf/iam/v1/groups_pb.js";
import { Identities } from "./wharf/iam/v1/identities_pb.js";
import { IdentityProviders } from "./wharf/iam/v1/identity_providers_pb.js";
import { RoleBindings } from "./wharf/iam/v1/role_bindings_pb.js";
import { Roles } from "./wharf/iam/v1/roles_pb.js";
import { Terms } from "./wharf/iam/v1/terms_pb.js";
import { PingService } from "./wharf/ping/v1/ping_pb.js";
import { EcosystemEntitlements, LibraryEntitlements, PackageEntitlements, SkillEntitlements } from "./wharf/products/v1/products_pb.js";
import { Entitlements } from "./wharf/registry/v1/entitlements_pb.js";
import { Registry } from "./wharf/registry/v1/registry_pb.js";
import { Vulnerabilities } from "./wharf/registry/v1/vulnerabilities_pb.js";

export const SERVICES_V1: readonly DescService[] = Object.freeze([
  SecurityAdvisory,
  APK,
  ArgosOSV,
  ArgosVulns,
  Subscriptions,
  GroupAccountAssociations,
  ExternalGroupRoleMappings,
  GroupInvites,
  Groups,
  Identities,
  IdentityProviders,
  RoleBindings,
  Roles,
  Terms,
  PingService,
  EcosystemEntitlements,
  LibraryEntitlements,
  PackageEntitlements,
  SkillEntitlements,
  Entitlements,
  Registry,
  Vulnerabilities,
]);
