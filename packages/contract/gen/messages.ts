// Written by `npm run generate`. Do not edit.

export * from "./wharf/audit/v2beta1/audit_pb.js";
export * from "./wharf/auth/auth_pb.js";
export * from "./wharf/auth/sessions_pb.js";
export * from "./wharf/common/uid_filter_pb.js";
export * from "./wharf/iam/v2beta1/account_associations_pb.js";
export * from "./wharf/iam/v2beta1/external_group_role_mappings_pb.js";
export * from "./wharf/iam/v2beta1/group_invites_pb.js";
export * from "./wharf/iam/v2beta1/groups_pb.js";
export * from "./wharf/iam/v2beta1/identities_pb.js";
export * from "./wharf/iam/v2beta1/identity_providers_pb.js";
export * from "./wharf/iam/v2beta1/role_bindings_pb.js";
export * from "./wharf/iam/v2beta1/roles_pb.js";
export * from "./wharf/oidc/security_token_service_pb.js";
export * from "./wharf/ping/v2beta1/ping_pb.js";
export * from "./wharf/registry/v2beta1/deployments_pb.js";
export * from "./wharf/registry/v2beta1/images_pb.js";
export * from "./wharf/registry/v2beta1/packages_pb.js";
export * from "./wharf/registry/v2beta1/registries_pb.js";
export * from "./wharf/registry/v2beta1/repos_pb.js";
export * from "./wharf/registry/v2beta1/settings_pb.js";
export * from "./wharf/registry/v2beta1/tags_pb.js";
export * as advisoriesV1 from "./wharf/vulnerabilities/v1/advisories_pb.js";
export * from "./wharf/vulnerabilities/v2beta1/advisories_pb.js";
export * from "./wharf/vulnerabilities/v2beta1/imports_pb.js";
