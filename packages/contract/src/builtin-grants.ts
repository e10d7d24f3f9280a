/** The capabilities of the built-in roles in builtin-roles.ts. An unknown name is an error at startup. */

export const CONSOLE_VIEWER = [
  "groups.list",
  "group_invites.list",
  "roles.list",
  "role_bindings.list",
  "record_signatures.list",
  "sboms.list",
  "vuln_reports.list",
  "account_associations.list",
  "identity.list",
  "identity_providers.list",
  "subscriptions.list",
  "repo.list",
  "manifest.list",
  "tag.list",
  "manifest.metadata.list",
  "referrers.list",
  "apk.list",
  "version.list",
  "vuln_report.list",
  "build_report.list",
  "registry.entitlements.list",
  "registry.settings.list",
  "registry.overlays.list",
  "libraries.entitlements.list",
  "libraries.artifacts.list",
  "libraries.cache.list",
  "libraries.aws_marketplace.subscriptions.list",
  "libraries.request_groups.list",
  "libraries.remote_registries.list",
  "advisories.list",
  "registry.deployments.list",
  "policies.policy.list",
  "policies.binding.list",
  "policies.decision.list",
  "policies.override.list",
  "packages.entitlements.list",
  "guardener.entitlement.list",
  "guardener.scan.list",
  "guardener.scan.get",
  "skills.entitlements.list",
  "skills.list",
  "libraries.policy.list",
  "libraries.policy.binding.list",
  "libraries.policy.block_event.list",
  "actions.list",
];

export const VIEWER = [
  ...CONSOLE_VIEWER,
  "repo.blobs.get",
  "apk.blobs.get",
  "terms.list",
  "guardener.dfc.convert",
  "guardener.association.list",
  "guardener.actions.migrate",
];

export const EDITOR = [
  ...VIEWER,
  "subscriptions.create",
  "subscriptions.update",
  "subscriptions.delete",
  "repo.create",
  "repo.update",
  "repo.delete",
  "registry.overlays.edit",
  "libraries.request_groups.create",
  "libraries.request_groups.update",
  "libraries.request_groups.delete",
  "libraries.request_groups.items.update",
];

export const OWNER = [
  ...EDITOR,
  "groups.create",
  "groups.update",
  "groups.delete",
  "group_invites.create",
  "group_invites.delete",
  "roles.create",
  "roles.update",
  "roles.delete",
  "role_bindings.create",
  "role_bindings.update",
  "role_bindings.delete",
  "account_associations.create",
  "account_associations.update",
  "account_associations.delete",
  "identity.create",
  "identity.update",
  "identity.delete",
  "identity_providers.create",
  "identity_providers.update",
  "identity_providers.delete",
  "identity_providers.scim.manage",
  "manifest.create",
  "manifest.update",
  "manifest.delete",
  "tag.create",
  "tag.update",
  "tag.delete",
  "apk.create",
  "apk.delete",
  "vuln_report.create",
  "vuln.create",
  "registry.entitlements.images.add",
  "registry.entitlements.images.remove",
  "registry.entitlements.images.swap",
  "libraries.entitlements.create",
  "libraries.entitlements.delete",
  "libraries.python.list",
  "libraries.python.create",
  "libraries.java.list",
  "libraries.java.create",
  "libraries.javascript.list",
  "libraries.javascript.create",
  "libraries.dotnet.list",
  "libraries.dotnet.create",
  "libraries.go.list",
  "libraries.go.create",
  "libraries.cache.invalidate",
  "libraries.aws_marketplace.subscriptions.create",
  "libraries.aws_marketplace.subscriptions.update",
  "libraries.request_groups.submit",
  "libraries.remote_registries.create",
  "libraries.remote_registries.delete",
  "policies.policy.create",
  "policies.policy.update",
  "policies.policy.delete",
  "policies.binding.create",
  "policies.binding.update",
  "policies.binding.delete",
  "policies.override.create",
  "policies.override.delete",
  "repo.check_policies",
  "terms.accept",
  "guardener.association.manage",
  "mcp.tool.call",
  "skills.publish",
  "skills.entitlements.create",
  "skills.entitlements.delete",
  "skills.harden.read",
  "skills.harden.write",
  "skills.harden.cancel",
  "libraries.policy.create",
  "libraries.policy.update",
  "libraries.policy.delete",
  "libraries.policy.binding.create",
  "libraries.policy.binding.update",
  "libraries.policy.binding.delete",
  // Not in the public bundle: there, staff of the vendor write advisories, settings and deployments.
  "registry.settings.update",
  "registry.deployments.create",
  "registry.deployments.update",
  "advisories.create",
  "advisories.update",
  "advisories.delete",
  "advisories.approve",
  "audit.list",
];

export const LIMITED_OWNER = [...VIEWER, "identity.create", "role_bindings.create"];

export const REGISTRY_PULL = [
  "groups.list",
  "record_signatures.list",
  "sboms.list",
  "vuln_reports.list",
  "repo.blobs.get",
  "repo.list",
  "manifest.list",
  "tag.list",
  "manifest.metadata.list",
  "referrers.list",
];

export const REGISTRY_PUSH = [
  ...REGISTRY_PULL,
  "groups.create",
  "repo.create",
  "repo.update",
  "repo.delete",
  "manifest.create",
  "manifest.update",
  "manifest.delete",
  "tag.create",
  "tag.update",
  "tag.delete",
];

export const REGISTRY_EDITOR = [
  ...REGISTRY_PULL,
  "repo.create",
  "repo.update",
  "repo.delete",
  "registry.overlays.list",
  "registry.overlays.edit",
];

export const APK_PULL = ["groups.list", "apk.list", "apk.blobs.get"];

export const APK_PUSH = [...APK_PULL, "apk.create", "apk.delete"];

/** Reads the audit log, and the names of groups, to find out where. */
export const AUDITOR = ["groups.list", "audit.list"];

/** The capabilities to create an identity and bind it to a role. */
export const PULL_TOKEN_CREATOR = [
  "groups.list",
  "roles.list",
  "role_bindings.create",
  "identity.create",
];

export const GUARDENER_USER = [
  ...REGISTRY_PULL,
  "terms.list",
  "guardener.dfc.convert",
  "guardener.association.list",
  "guardener.actions.migrate",
  "guardener.scan.list",
  "guardener.scan.get",
];

export const ADVISORIES_VIEWER = ["advisories.list"];

/** Commands find the group of an advisory by its name. */
export const ADVISORIES_CREATOR = [
  ...ADVISORIES_VIEWER,
  ...["groups.list", "advisories.create", "advisories.update"],
];

export const ADVISORIES_APPROVER = [...ADVISORIES_CREATOR, "advisories.approve"];

export const SKILLS_PUBLISHER = [
  "terms.list",
  "skills.publish",
  "skills.entitlements.list",
  "skills.harden.read",
  "skills.harden.write",
  "skills.harden.cancel",
];

export const libraryPull = (language: string) => [
  "libraries.entitlements.list",
  `libraries.${language}.list`,
];
export const libraryPush = (language: string) => [
  ...libraryPull(language),
  `libraries.${language}.create`,
];
export const libraryTokens = (language: string) => [
  ...libraryPull(language),
  ...PULL_TOKEN_CREATOR,
];
