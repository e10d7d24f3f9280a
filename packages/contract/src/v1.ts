/**
 * Version 1 of the contract. Its messages have the names of version 2's, so each file of it is a
 * namespace. Only servers, and clients of version 1, load this.
 */
import type { DescService } from "@bufbuild/protobuf";
import { GroupAccountAssociations } from "../gen/wharf/iam/v1/account_associations_pb.js";
import { ExternalGroupRoleMappings } from "../gen/wharf/iam/v1/external_group_role_mappings_pb.js";
import { GroupInvites } from "../gen/wharf/iam/v1/group_invites_pb.js";
import { Groups } from "../gen/wharf/iam/v1/groups_pb.js";
import { Identities } from "../gen/wharf/iam/v1/identities_pb.js";
import { IdentityProviders } from "../gen/wharf/iam/v1/identity_providers_pb.js";
import { RoleBindings } from "../gen/wharf/iam/v1/role_bindings_pb.js";
import { Roles } from "../gen/wharf/iam/v1/roles_pb.js";
import { PingService } from "../gen/wharf/ping/v1/ping_pb.js";
import { Registry } from "../gen/wharf/registry/v1/registry_pb.js";

export * as accountAssociationsV1 from "../gen/wharf/iam/v1/account_associations_pb.js";
export * as externalGroupRoleMappingsV1 from "../gen/wharf/iam/v1/external_group_role_mappings_pb.js";
export * as groupInvitesV1 from "../gen/wharf/iam/v1/group_invites_pb.js";
export * as groupsV1 from "../gen/wharf/iam/v1/groups_pb.js";
export * as identitiesV1 from "../gen/wharf/iam/v1/identities_pb.js";
export * as identityProvidersV1 from "../gen/wharf/iam/v1/identity_providers_pb.js";
export * as roleBindingsV1 from "../gen/wharf/iam/v1/role_bindings_pb.js";
export * as rolesV1 from "../gen/wharf/iam/v1/roles_pb.js";
export * as pingV1 from "../gen/wharf/ping/v1/ping_pb.js";
export * as overlayV1 from "../gen/wharf/registry/v1/overlay_pb.js";
export * as registryV1 from "../gen/wharf/registry/v1/registry_pb.js";

export const SERVICES_V1: readonly DescService[] = Object.freeze([
  Groups,
  Identities,
  Roles,
  RoleBindings,
  GroupInvites,
  IdentityProviders,
  GroupAccountAssociations,
  ExternalGroupRoleMappings,
  Registry,
  PingService,
]);
