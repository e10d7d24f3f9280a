/**
 * Every service of the contract, and the names that each answers to.
 */
import { type DescService, getOption } from "@bufbuild/protobuf";
import { also_known_as } from "../gen/wharf/annotations/annotations_pb.js";
import { Auth } from "../gen/wharf/auth/auth_pb.js";
import { SessionsService } from "../gen/wharf/auth/sessions_pb.js";
import { AccountAssociationsService } from "../gen/wharf/iam/v2beta1/account_associations_pb.js";
import { ExternalGroupRoleMappingsService } from "../gen/wharf/iam/v2beta1/external_group_role_mappings_pb.js";
import { GroupInvitesService } from "../gen/wharf/iam/v2beta1/group_invites_pb.js";
import { GroupsService } from "../gen/wharf/iam/v2beta1/groups_pb.js";
import { IdentitiesService } from "../gen/wharf/iam/v2beta1/identities_pb.js";
import { IdentityProvidersService } from "../gen/wharf/iam/v2beta1/identity_providers_pb.js";
import { RoleBindingsService } from "../gen/wharf/iam/v2beta1/role_bindings_pb.js";
import { RolesService } from "../gen/wharf/iam/v2beta1/roles_pb.js";
import { SecurityTokenService } from "../gen/wharf/oidc/security_token_service_pb.js";
import { PingService } from "../gen/wharf/ping/v2beta1/ping_pb.js";
import { ImagesService } from "../gen/wharf/registry/v2beta1/images_pb.js";
import { RegistriesService } from "../gen/wharf/registry/v2beta1/registries_pb.js";
import { ReposService } from "../gen/wharf/registry/v2beta1/repos_pb.js";
import { RegistrySettingsService } from "../gen/wharf/registry/v2beta1/settings_pb.js";
import { TagsService } from "../gen/wharf/registry/v2beta1/tags_pb.js";
import { Advisories } from "../gen/wharf/vulnerabilities/v1/advisories_pb.js";
import { AdvisoriesService } from "../gen/wharf/vulnerabilities/v2beta1/advisories_pb.js";
import { AdvisoryImportsService } from "../gen/wharf/vulnerabilities/v2beta1/imports_pb.js";

export const SERVICES: readonly DescService[] = Object.freeze([
  GroupsService,
  IdentitiesService,
  RolesService,
  RoleBindingsService,
  IdentityProvidersService,
  AccountAssociationsService,
  GroupInvitesService,
  ExternalGroupRoleMappingsService,
  ReposService,
  TagsService,
  ImagesService,
  RegistriesService,
  RegistrySettingsService,
  AdvisoriesService,
  Advisories,
  AdvisoryImportsService,
  SecurityTokenService,
  Auth,
  SessionsService,
  PingService,
]);

/**
 * Every full name that a service answers to over gRPC: its own, the ones that existing clients use,
 * and each of these in version 2 without the beta.
 *
 * @example serviceNames(GroupsService)
 * // ["wharf.iam.v2beta1.GroupsService", "chainguard.platform.iam.v2beta1.GroupsService",
 * //  "wharf.iam.v2.GroupsService", "chainguard.platform.iam.v2.GroupsService"]
 */
export function serviceNames(service: DescService): string[] {
  const names = [service.typeName, ...getOption(service, also_known_as)];
  const stable = names.map((name) => name.replace(".v2beta1.", ".v2."));
  return [...new Set([...names, ...stable])];
}
