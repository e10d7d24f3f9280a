-- The indexes of orders end in the uid.
CREATE INDEX account_associations_by_root_name ON account_associations (root, name, id, uid);
CREATE INDEX account_associations_by_name ON account_associations (name, id, uid);
CREATE INDEX account_associations_by_root_created ON account_associations (root, created, id, uid);
CREATE INDEX account_associations_by_created ON account_associations (created, id, uid);
CREATE INDEX account_associations_by_root_updated ON account_associations (root, updated, id, uid);
CREATE INDEX account_associations_by_updated ON account_associations (updated, id, uid);
CREATE INDEX external_group_role_mappings_by_root_name ON external_group_role_mappings (root, name, id, uid);
CREATE INDEX external_group_role_mappings_by_name ON external_group_role_mappings (name, id, uid);
CREATE INDEX external_group_role_mappings_by_root_created ON external_group_role_mappings (root, created, id, uid);
CREATE INDEX external_group_role_mappings_by_created ON external_group_role_mappings (created, id, uid);
CREATE INDEX external_group_role_mappings_by_root_updated ON external_group_role_mappings (root, updated, id, uid);
CREATE INDEX external_group_role_mappings_by_updated ON external_group_role_mappings (updated, id, uid);
CREATE INDEX group_invites_by_root_name ON group_invites (root, name, id, uid);
CREATE INDEX group_invites_by_name ON group_invites (name, id, uid);
CREATE INDEX group_invites_by_root_created ON group_invites (root, created, id, uid);
CREATE INDEX group_invites_by_created ON group_invites (created, id, uid);
CREATE INDEX group_invites_by_root_updated ON group_invites (root, updated, id, uid);
CREATE INDEX group_invites_by_updated ON group_invites (updated, id, uid);
CREATE INDEX groups_by_root_name ON groups (root, name, id, uid);
CREATE INDEX groups_by_name ON groups (name, id, uid);
CREATE INDEX groups_by_root_created ON groups (root, created, id, uid);
CREATE INDEX groups_by_created ON groups (created, id, uid);
CREATE INDEX groups_by_root_updated ON groups (root, updated, id, uid);
CREATE INDEX groups_by_updated ON groups (updated, id, uid);
CREATE INDEX identities_by_root_name ON identities (root, name, id, uid);
CREATE INDEX identities_by_name ON identities (name, id, uid);
CREATE INDEX identities_by_root_created ON identities (root, created, id, uid);
CREATE INDEX identities_by_created ON identities (created, id, uid);
CREATE INDEX identities_by_root_updated ON identities (root, updated, id, uid);
CREATE INDEX identities_by_updated ON identities (updated, id, uid);
CREATE INDEX identity_providers_by_root_name ON identity_providers (root, name, id, uid);
CREATE INDEX identity_providers_by_name ON identity_providers (name, id, uid);
CREATE INDEX identity_providers_by_root_created ON identity_providers (root, created, id, uid);
CREATE INDEX identity_providers_by_created ON identity_providers (created, id, uid);
CREATE INDEX identity_providers_by_root_updated ON identity_providers (root, updated, id, uid);
CREATE INDEX identity_providers_by_updated ON identity_providers (updated, id, uid);
CREATE INDEX role_bindings_by_root_name ON role_bindings (root, name, id, uid);
CREATE INDEX role_bindings_by_name ON role_bindings (name, id, uid);
CREATE INDEX role_bindings_by_root_created ON role_bindings (root, created, id, uid);
CREATE INDEX role_bindings_by_created ON role_bindings (created, id, uid);
CREATE INDEX role_bindings_by_root_updated ON role_bindings (root, updated, id, uid);
CREATE INDEX role_bindings_by_updated ON role_bindings (updated, id, uid);
CREATE INDEX roles_by_root_name ON roles (root, name, id, uid);
CREATE INDEX roles_by_name ON roles (name, id, uid);
CREATE INDEX roles_by_root_created ON roles (root, created, id, uid);
CREATE INDEX roles_by_created ON roles (created, id, uid);
CREATE INDEX roles_by_root_updated ON roles (root, updated, id, uid);
CREATE INDEX roles_by_updated ON roles (updated, id, uid);
CREATE INDEX repos_by_root_name ON repos (root, name, id, uid);
CREATE INDEX repos_by_name ON repos (name, id, uid);
CREATE INDEX repos_by_root_created ON repos (root, created, id, uid);
CREATE INDEX repos_by_created ON repos (created, id, uid);
CREATE INDEX repos_by_root_updated ON repos (root, updated, id, uid);
CREATE INDEX repos_by_updated ON repos (updated, id, uid);
CREATE INDEX tags_by_root_part_name ON tags (root, part, name, id, uid);
CREATE INDEX tags_by_part_name ON tags (part, name, id, uid);
CREATE INDEX tags_by_root_part_created ON tags (root, part, created, id, uid);
CREATE INDEX tags_by_part_created ON tags (part, created, id, uid);
CREATE INDEX tags_by_root_part_updated ON tags (root, part, updated, id, uid);
CREATE INDEX tags_by_part_updated ON tags (part, updated, id, uid);
CREATE INDEX advisories_by_root_part_created ON advisories (root, part, created, id, uid);
CREATE INDEX advisories_by_part_created ON advisories (part, created, id, uid);
CREATE INDEX advisories_by_root_part_updated ON advisories (root, part, updated, id, uid);
CREATE INDEX advisories_by_part_updated ON advisories (part, updated, id, uid);

-- Tables that stores of the earliest versions lack: those versions created them from definitions, without a step.
CREATE TABLE IF NOT EXISTS subscriptions (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX subscriptions_by_parent_name ON subscriptions (parent, name, id);
CREATE INDEX subscriptions_by_root_name ON subscriptions (root, name, id, uid);
CREATE INDEX subscriptions_by_name ON subscriptions (name, id, uid);
CREATE INDEX subscriptions_by_root_created ON subscriptions (root, created, id, uid);
CREATE INDEX subscriptions_by_created ON subscriptions (created, id, uid);
CREATE INDEX subscriptions_by_root_updated ON subscriptions (root, updated, id, uid);
CREATE INDEX subscriptions_by_updated ON subscriptions (updated, id, uid);

CREATE TABLE IF NOT EXISTS deployments (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX deployments_by_parent_name ON deployments (parent, name, id);
CREATE INDEX deployments_by_root_name ON deployments (root, name, id, uid);
CREATE INDEX deployments_by_name ON deployments (name, id, uid);
CREATE INDEX deployments_by_root_created ON deployments (root, created, id, uid);
CREATE INDEX deployments_by_created ON deployments (created, id, uid);
CREATE INDEX deployments_by_root_updated ON deployments (root, updated, id, uid);
CREATE INDEX deployments_by_updated ON deployments (updated, id, uid);

CREATE TABLE IF NOT EXISTS packages (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX packages_by_root_name ON packages (root, name, id, uid);
CREATE INDEX packages_by_name ON packages (name, id, uid);
CREATE INDEX packages_by_root_created ON packages (root, created, id, uid);
CREATE INDEX packages_by_created ON packages (created, id, uid);
CREATE INDEX packages_by_root_updated ON packages (root, updated, id, uid);
CREATE INDEX packages_by_updated ON packages (updated, id, uid);
CREATE UNIQUE INDEX packages_by_own_name ON packages (parent, name);
