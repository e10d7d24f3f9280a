-- The schema after step 27, with which a new store begins. Types are those of SQLite; schema/statements.ts translates them.

-- The record of applied steps: the version that applied each, and the next work to do after its transaction.

CREATE TABLE migrations (
  step INTEGER PRIMARY KEY, version TEXT NOT NULL DEFAULT '', time INTEGER NOT NULL DEFAULT 0,
  pending TEXT NOT NULL DEFAULT ''
);

-- Access: rows below each resource by kind, the version that grows with every change of access, and what changed in it.

CREATE TABLE counts (
  uid TEXT NOT NULL, kind TEXT NOT NULL, children INTEGER NOT NULL, descendants INTEGER NOT NULL,
  changes INTEGER NOT NULL, lists INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (uid, kind)
);

CREATE TABLE access_version (
  version INTEGER NOT NULL, logged INTEGER NOT NULL DEFAULT 0
);
INSERT INTO access_version (version) VALUES (1);

CREATE TABLE grant_changes (
  version INTEGER NOT NULL, identity TEXT NOT NULL, root TEXT NOT NULL,
  PRIMARY KEY (version, identity, root)
) WITHOUT ROWID;

CREATE TABLE memberships (
  identity TEXT NOT NULL, provider TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
  PRIMARY KEY (identity, provider, client_id, scope)
);
CREATE INDEX memberships_by_provider ON memberships (provider);

CREATE TABLE deleted_groups (
  uid TEXT PRIMARY KEY, identity TEXT NOT NULL, time INTEGER NOT NULL
);
CREATE INDEX deleted_groups_by_time ON deleted_groups (time);

CREATE TABLE organization_settings (
  root TEXT PRIMARY KEY, unique_siblings INTEGER NOT NULL
);

-- Keys, secrets and values of the installation. `unsealed` has what the next startup seals.

CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY, created INTEGER NOT NULL, retires INTEGER, algorithm TEXT NOT NULL DEFAULT 'ES256'
);

CREATE TABLE registry_keys (
  kid TEXT PRIMARY KEY, certificate TEXT NOT NULL, created INTEGER NOT NULL, retires INTEGER
);

CREATE TABLE audit_keys (
  kid TEXT PRIMARY KEY, jwk TEXT NOT NULL
);

CREATE TABLE secrets (
  owner TEXT NOT NULL, name TEXT NOT NULL, sealed BLOB NOT NULL,
  PRIMARY KEY (owner, name)
);

CREATE TABLE unsealed (
  owner TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (owner, name)
);

CREATE TABLE installation (
  name TEXT PRIMARY KEY, value TEXT NOT NULL
);

CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY, request TEXT NOT NULL, response TEXT NOT NULL, expires INTEGER NOT NULL
);
CREATE INDEX idempotency_keys_by_expires ON idempotency_keys (expires);

CREATE TABLE leases (
  name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL
);
CREATE INDEX leases_by_expires ON leases (expires);

CREATE TABLE store_probes (
  id INTEGER PRIMARY KEY, filler BLOB NOT NULL
);

-- The audit log.

CREATE TABLE audit (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, actor TEXT NOT NULL, method TEXT NOT NULL, resource TEXT NOT NULL,
  request_id TEXT NOT NULL, remote_address TEXT NOT NULL, user_agent TEXT NOT NULL, code INTEGER NOT NULL,
  detail TEXT NOT NULL, actor_name TEXT NOT NULL DEFAULT '', resource_name TEXT NOT NULL DEFAULT '',
  resource_type TEXT NOT NULL DEFAULT '', changed_fields TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '', via TEXT NOT NULL DEFAULT '', chain TEXT NOT NULL DEFAULT '',
  previous_hash TEXT NOT NULL DEFAULT '', hash TEXT NOT NULL DEFAULT '', sequence INTEGER NOT NULL DEFAULT 0
);
-- sqlite:
CREATE INDEX audit_by_root ON audit (substr(resource, 1, 41), time, code, via, method, actor, remote_address, session,
  request_id, resource);
-- postgres:
CREATE INDEX audit_by_root ON audit (substr(resource, 1, 41), time);

CREATE TABLE audit_checkpoints (
  id INTEGER PRIMARY KEY, root TEXT NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, chain TEXT NOT NULL,
  sequence INTEGER NOT NULL, last_entry INTEGER NOT NULL, signed TEXT NOT NULL
);
CREATE UNIQUE INDEX audit_checkpoints_by_root ON audit_checkpoints (root, number);

CREATE TABLE audit_sinks (
  sink TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL, entry INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL
);

-- Events and their delivery. On PostgreSQL an event has its transaction, also those of old replicas.

CREATE TABLE events (
  id INTEGER PRIMARY KEY, event_id TEXT NOT NULL, time INTEGER NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL,
  group_uid TEXT NOT NULL, actor TEXT NOT NULL, body_type TEXT NOT NULL, body TEXT NOT NULL,
  act TEXT NOT NULL DEFAULT ''
);
CREATE INDEX events_by_time ON events (time);
CREATE INDEX events_by_group ON events (group_uid, id);
-- postgres:
ALTER TABLE events ADD COLUMN tx BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint);
-- postgres:
CREATE INDEX events_in_order ON events (tx, id);

CREATE TABLE event_cursors (
  name TEXT PRIMARY KEY, tx INTEGER NOT NULL, id INTEGER NOT NULL
);

CREATE TABLE subscription_states (
  uid TEXT PRIMARY KEY, start_tx INTEGER NOT NULL, start_id INTEGER NOT NULL, due INTEGER NOT NULL,
  arrivals INTEGER NOT NULL, failing_since INTEGER NOT NULL, last_success INTEGER NOT NULL,
  last_failure INTEGER NOT NULL, paused_until INTEGER NOT NULL
);
CREATE INDEX subscription_states_by_due ON subscription_states (due);
CREATE INDEX subscription_states_by_start ON subscription_states (start_tx, start_id);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY, subscription TEXT NOT NULL, event INTEGER NOT NULL, event_id TEXT NOT NULL,
  type TEXT NOT NULL, subject TEXT NOT NULL, state INTEGER NOT NULL, replay INTEGER NOT NULL,
  time INTEGER NOT NULL, next_at INTEGER NOT NULL, attempts TEXT NOT NULL
);
CREATE INDEX deliveries_pending ON deliveries (subscription, id) WHERE state = 0;
CREATE INDEX deliveries_by_subscription ON deliveries (subscription, id);
CREATE INDEX deliveries_by_time ON deliveries (time);
CREATE INDEX deliveries_by_subscription_state ON deliveries (subscription, state, time);

-- Sign-in.

CREATE TABLE sessions (
  id TEXT PRIMARY KEY, identity TEXT NOT NULL, provider TEXT NOT NULL, created INTEGER NOT NULL,
  used INTEGER NOT NULL, expires INTEGER NOT NULL, generation INTEGER NOT NULL, mappings TEXT NOT NULL,
  person TEXT NOT NULL, remote_address TEXT NOT NULL, user_agent TEXT NOT NULL
);
CREATE INDEX sessions_by_identity ON sessions (identity, created);
CREATE INDEX sessions_by_provider ON sessions (provider, created);
CREATE INDEX sessions_by_expires ON sessions (expires);

CREATE TABLE provider_people (
  provider TEXT NOT NULL, identity TEXT NOT NULL, external_id TEXT NOT NULL,
  PRIMARY KEY (provider, identity)
);
CREATE INDEX provider_people_by_external_id ON provider_people (provider, external_id);
CREATE INDEX provider_people_by_identity ON provider_people (identity);

CREATE TABLE tickets (
  digest TEXT PRIMARY KEY, purpose TEXT NOT NULL, payload TEXT NOT NULL, expires INTEGER NOT NULL,
  identity TEXT NOT NULL DEFAULT '', provider TEXT NOT NULL DEFAULT '', network TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tickets_by_expires ON tickets (expires);
CREATE INDEX tickets_by_identity ON tickets (identity);
CREATE INDEX tickets_by_network ON tickets (network, expires);

CREATE TABLE local_accounts (
  identity TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL, failures INTEGER NOT NULL,
  locked_until INTEGER NOT NULL
);

CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY, identity TEXT NOT NULL, public_key BLOB NOT NULL, counter INTEGER NOT NULL,
  transports TEXT NOT NULL, backed_up INTEGER NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
  used INTEGER NOT NULL
);
CREATE INDEX passkeys_by_identity ON passkeys (identity);

-- SCIM.

CREATE TABLE scim_credentials (
  provider TEXT PRIMARY KEY, enabled INTEGER NOT NULL, token_hash TEXT NOT NULL, token_expires INTEGER,
  previous_hash TEXT NOT NULL, previous_expires INTEGER, revoked INTEGER, version INTEGER NOT NULL
);

CREATE TABLE scim_users (
  id INTEGER PRIMARY KEY, provider TEXT NOT NULL, resource TEXT NOT NULL, name TEXT NOT NULL,
  external_id TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, version INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (provider, resource)
);
CREATE INDEX scim_users_in_order ON scim_users (provider, id);
CREATE INDEX scim_users_by_name ON scim_users (provider, name);
CREATE UNIQUE INDEX scim_users_by_external_id ON scim_users (provider, external_id) WHERE external_id <> '';

CREATE TABLE scim_groups (
  id INTEGER PRIMARY KEY, provider TEXT NOT NULL, resource TEXT NOT NULL, name TEXT NOT NULL,
  external_id TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, version INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (provider, resource)
);
CREATE INDEX scim_groups_in_order ON scim_groups (provider, id);
CREATE INDEX scim_groups_by_name ON scim_groups (provider, name);
CREATE UNIQUE INDEX scim_groups_by_external_id ON scim_groups (provider, external_id) WHERE external_id <> '';

CREATE TABLE scim_members (
  provider TEXT NOT NULL, group_id TEXT NOT NULL, user_id TEXT NOT NULL,
  PRIMARY KEY (provider, group_id, user_id)
);
CREATE INDEX scim_members_by_user ON scim_members (provider, user_id);

-- The registry: content, and what is known of attached registries.

CREATE TABLE manifests (
  repo TEXT NOT NULL, digest TEXT NOT NULL, media_type TEXT NOT NULL, kind TEXT NOT NULL,
  architecture TEXT NOT NULL, size INTEGER NOT NULL, children TEXT NOT NULL, subject TEXT NOT NULL,
  config_digest TEXT NOT NULL, pushed INTEGER NOT NULL, pulled INTEGER NOT NULL, content BLOB,
  PRIMARY KEY (repo, digest)
);
CREATE INDEX manifests_by_subject ON manifests (repo, subject) WHERE subject <> '';
CREATE INDEX manifests_by_push ON manifests (repo, pushed, digest);

CREATE TABLE manifest_references (
  repo TEXT NOT NULL, manifest TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (repo, manifest, digest)
) WITHOUT ROWID;
CREATE INDEX manifest_references_by_digest ON manifest_references (digest, repo);

CREATE TABLE blobs (
  digest TEXT PRIMARY KEY, size INTEGER NOT NULL, created INTEGER NOT NULL
);

CREATE TABLE blob_links (
  repo TEXT NOT NULL, digest TEXT NOT NULL, leased INTEGER NOT NULL,
  PRIMARY KEY (repo, digest)
) WITHOUT ROWID;
CREATE INDEX blob_links_by_digest ON blob_links (digest);

CREATE TABLE uploads (
  id TEXT PRIMARY KEY, path TEXT NOT NULL, actor TEXT NOT NULL, touched INTEGER NOT NULL, size INTEGER NOT NULL,
  parts TEXT NOT NULL
);
CREATE INDEX uploads_by_touched ON uploads (touched);

CREATE TABLE tag_history (
  id INTEGER PRIMARY KEY, repo TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, time INTEGER NOT NULL,
  seen INTEGER NOT NULL
);
CREATE UNIQUE INDEX tag_history_in_order ON tag_history (repo, name, time, digest);

CREATE TABLE repo_readmes (
  repo TEXT PRIMARY KEY, content TEXT NOT NULL
);

CREATE TABLE registry_settings (
  group_uid TEXT PRIMARY KEY, unique_tags INTEGER NOT NULL, eol_grace_period INTEGER NOT NULL
);

CREATE TABLE registry_places (
  host TEXT NOT NULL, path TEXT NOT NULL, repo TEXT NOT NULL, made INTEGER NOT NULL, seen INTEGER NOT NULL,
  PRIMARY KEY (host, path)
);
CREATE INDEX registry_places_by_repo ON registry_places (repo);

CREATE TABLE registry_notices (
  host TEXT NOT NULL, id TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (host, id)
);
CREATE INDEX registry_notices_by_time ON registry_notices (time);

CREATE TABLE registry_passes (
  host TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL, began INTEGER NOT NULL,
  last TEXT NOT NULL, finished INTEGER NOT NULL, requested INTEGER NOT NULL DEFAULT 0,
  findings TEXT NOT NULL DEFAULT '{}', problem TEXT NOT NULL DEFAULT ''
);

CREATE TABLE repo_deletions (
  host TEXT NOT NULL, path TEXT NOT NULL, repo TEXT NOT NULL, time INTEGER NOT NULL, seen INTEGER NOT NULL,
  PRIMARY KEY (host, path)
);
CREATE INDEX repo_deletions_by_repo ON repo_deletions (repo);

CREATE TABLE manifest_deletions (
  repo TEXT NOT NULL, digest TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (repo, digest)
);
CREATE INDEX manifest_deletions_by_time ON manifest_deletions (time);

CREATE TABLE path_deletions (
  host TEXT NOT NULL, path TEXT NOT NULL, what TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (host, path, what)
);
CREATE INDEX path_deletions_by_time ON path_deletions (time);

-- Vulnerabilities and advisories.

CREATE TABLE vulnerabilities (
  place TEXT NOT NULL, id TEXT NOT NULL, updated INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (place, id)
);

CREATE TABLE vulnerability_names (
  place TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (place, id, name)
);
CREATE INDEX vulnerability_names_by_name ON vulnerability_names (name, place);

CREATE TABLE vulnerability_changes (
  place TEXT PRIMARY KEY, number INTEGER NOT NULL, latest INTEGER NOT NULL
);

CREATE TABLE severity_changes (
  place TEXT NOT NULL, name TEXT NOT NULL, time INTEGER NOT NULL, last_row INTEGER NOT NULL, beside TEXT NOT NULL,
  PRIMARY KEY (place, name)
);

CREATE TABLE subpackages (
  place TEXT NOT NULL, origin TEXT NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (origin, place, name)
);
CREATE INDEX subpackages_by_place ON subpackages (place);

CREATE TABLE advisory_records (
  group_uid TEXT NOT NULL, digest TEXT NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (group_uid, digest)
);

CREATE TABLE advisory_sources (
  advisory TEXT NOT NULL, time INTEGER NOT NULL, group_uid TEXT NOT NULL, record TEXT NOT NULL,
  affected TEXT NOT NULL, described BLOB NOT NULL, imported INTEGER NOT NULL, modified INTEGER NOT NULL,
  written TEXT NOT NULL, rated INTEGER NOT NULL,
  PRIMARY KEY (advisory, time)
);
CREATE INDEX advisory_sources_by_record ON advisory_sources (group_uid, record);

-- The last batch of each connection that writes (postgres/batches.ts).
-- postgres:
CREATE TABLE commit_markers (connection TEXT PRIMARY KEY, batch BIGINT NOT NULL, time TIMESTAMPTZ NOT NULL);

-- Unused, like counts.lists: a later version drops them.

CREATE TABLE table_digests (
  name TEXT PRIMARY KEY, digest TEXT NOT NULL
);

CREATE TABLE list_indexes (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, reach TEXT NOT NULL, sort TEXT NOT NULL,
  form TEXT NOT NULL, filter_by TEXT NOT NULL, state TEXT NOT NULL, changes INTEGER NOT NULL,
  row_count INTEGER NOT NULL, cursor_key TEXT NOT NULL, cursor_id INTEGER NOT NULL, used INTEGER NOT NULL,
  UNIQUE (kind, scope, reach, sort, form, filter_by)
);

CREATE TABLE list_entries (
  list INTEGER NOT NULL, key TEXT NOT NULL, row_id INTEGER NOT NULL,
  PRIMARY KEY (list, key, row_id)
) WITHOUT ROWID;

CREATE TABLE list_blocks (
  id INTEGER PRIMARY KEY, list INTEGER NOT NULL, key TEXT NOT NULL, row_id INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  UNIQUE (list, key, row_id)
);

CREATE TABLE row_log (
  kind TEXT NOT NULL, version INTEGER NOT NULL, since INTEGER NOT NULL, uids TEXT NOT NULL,
  PRIMARY KEY (kind, version)
) WITHOUT ROWID;

CREATE TABLE audit_segments (
  segment INTEGER PRIMARY KEY, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL, present TEXT NOT NULL
);

CREATE TABLE audit_postings (
  kind TEXT NOT NULL, value TEXT NOT NULL, segment INTEGER NOT NULL, positions TEXT NOT NULL,
  PRIMARY KEY (kind, value, segment)
) WITHOUT ROWID;

-- Tables of resources, from their definitions.

CREATE TABLE subscriptions (
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

CREATE TABLE account_associations (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX account_associations_by_parent_name ON account_associations (parent, name, id);
CREATE INDEX account_associations_by_root_name ON account_associations (root, name, id, uid);
CREATE INDEX account_associations_by_name ON account_associations (name, id, uid);
CREATE INDEX account_associations_by_root_created ON account_associations (root, created, id, uid);
CREATE INDEX account_associations_by_created ON account_associations (created, id, uid);
CREATE INDEX account_associations_by_root_updated ON account_associations (root, updated, id, uid);
CREATE INDEX account_associations_by_updated ON account_associations (updated, id, uid);

CREATE TABLE external_group_role_mappings (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, role_uid TEXT NOT NULL,
  meaning TEXT NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX external_group_role_mappings_by_parent_name ON external_group_role_mappings (parent, name, id);
CREATE INDEX external_group_role_mappings_by_root_name ON external_group_role_mappings (root, name, id, uid);
CREATE INDEX external_group_role_mappings_by_name ON external_group_role_mappings (name, id, uid);
CREATE INDEX external_group_role_mappings_by_root_created ON external_group_role_mappings (root, created, id, uid);
CREATE INDEX external_group_role_mappings_by_created ON external_group_role_mappings (created, id, uid);
CREATE INDEX external_group_role_mappings_by_root_updated ON external_group_role_mappings (root, updated, id, uid);
CREATE INDEX external_group_role_mappings_by_updated ON external_group_role_mappings (updated, id, uid);
CREATE INDEX external_group_role_mappings_by_role_uid ON external_group_role_mappings (role_uid, id);
CREATE INDEX external_group_role_mappings_by_meaning ON external_group_role_mappings (meaning, id);

CREATE TABLE group_invites (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, key_id TEXT NOT NULL,
  data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX group_invites_by_parent_name ON group_invites (parent, name, id);
CREATE INDEX group_invites_by_root_name ON group_invites (root, name, id, uid);
CREATE INDEX group_invites_by_name ON group_invites (name, id, uid);
CREATE INDEX group_invites_by_root_created ON group_invites (root, created, id, uid);
CREATE INDEX group_invites_by_created ON group_invites (created, id, uid);
CREATE INDEX group_invites_by_root_updated ON group_invites (root, updated, id, uid);
CREATE INDEX group_invites_by_updated ON group_invites (updated, id, uid);
CREATE INDEX group_invites_by_key_id ON group_invites (key_id, id);

CREATE TABLE groups (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, verified_name TEXT NOT NULL,
  last_step TEXT NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX groups_by_parent_name ON groups (parent, name, id);
CREATE INDEX groups_by_root_name ON groups (root, name, id, uid);
CREATE INDEX groups_by_name ON groups (name, id, uid);
CREATE INDEX groups_by_root_created ON groups (root, created, id, uid);
CREATE INDEX groups_by_created ON groups (created, id, uid);
CREATE INDEX groups_by_root_updated ON groups (root, updated, id, uid);
CREATE INDEX groups_by_updated ON groups (updated, id, uid);
CREATE INDEX groups_by_verified_name ON groups (verified_name, id) WHERE verified_name <> '';
CREATE INDEX groups_by_last_step ON groups (last_step, id) WHERE last_step <> '';

CREATE TABLE identities (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL,
  relationship_type INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX identities_by_parent_name ON identities (parent, name, id);
CREATE INDEX identities_by_root_name ON identities (root, name, id, uid);
CREATE INDEX identities_by_name ON identities (name, id, uid);
CREATE INDEX identities_by_root_created ON identities (root, created, id, uid);
CREATE INDEX identities_by_created ON identities (created, id, uid);
CREATE INDEX identities_by_root_updated ON identities (root, updated, id, uid);
CREATE INDEX identities_by_updated ON identities (updated, id, uid);
CREATE INDEX identities_by_relationship_type ON identities (relationship_type, id);

CREATE TABLE identity_providers (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, default_role TEXT NOT NULL,
  data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX identity_providers_by_parent_name ON identity_providers (parent, name, id);
CREATE INDEX identity_providers_by_root_name ON identity_providers (root, name, id, uid);
CREATE INDEX identity_providers_by_name ON identity_providers (name, id, uid);
CREATE INDEX identity_providers_by_root_created ON identity_providers (root, created, id, uid);
CREATE INDEX identity_providers_by_created ON identity_providers (created, id, uid);
CREATE INDEX identity_providers_by_root_updated ON identity_providers (root, updated, id, uid);
CREATE INDEX identity_providers_by_updated ON identity_providers (updated, id, uid);
CREATE INDEX identity_providers_by_default_role ON identity_providers (default_role, id);

CREATE TABLE role_bindings (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, identity_uid TEXT NOT NULL,
  role_uid TEXT NOT NULL, identity_kind INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX role_bindings_by_parent_name ON role_bindings (parent, name, id);
CREATE INDEX role_bindings_by_root_name ON role_bindings (root, name, id, uid);
CREATE INDEX role_bindings_by_name ON role_bindings (name, id, uid);
CREATE INDEX role_bindings_by_root_created ON role_bindings (root, created, id, uid);
CREATE INDEX role_bindings_by_created ON role_bindings (created, id, uid);
CREATE INDEX role_bindings_by_root_updated ON role_bindings (root, updated, id, uid);
CREATE INDEX role_bindings_by_updated ON role_bindings (updated, id, uid);
CREATE INDEX role_bindings_by_identity_uid ON role_bindings (identity_uid, id);
CREATE INDEX role_bindings_by_role_uid ON role_bindings (role_uid, id);
CREATE INDEX role_bindings_by_identity_kind ON role_bindings (identity_kind, id);
CREATE INDEX role_bindings_by_identity_uid_parent_role_uid ON role_bindings (identity_uid, parent, role_uid, id);

CREATE TABLE roles (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX roles_by_parent_name ON roles (parent, name, id);
CREATE INDEX roles_by_root_name ON roles (root, name, id, uid);
CREATE INDEX roles_by_name ON roles (name, id, uid);
CREATE INDEX roles_by_root_created ON roles (root, created, id, uid);
CREATE INDEX roles_by_created ON roles (created, id, uid);
CREATE INDEX roles_by_root_updated ON roles (root, updated, id, uid);
CREATE INDEX roles_by_updated ON roles (updated, id, uid);

CREATE TABLE deployments (
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

CREATE TABLE packages (
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

CREATE TABLE repos (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, sync_source TEXT NOT NULL,
  data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX repos_by_root_name ON repos (root, name, id, uid);
CREATE INDEX repos_by_name ON repos (name, id, uid);
CREATE INDEX repos_by_root_created ON repos (root, created, id, uid);
CREATE INDEX repos_by_created ON repos (created, id, uid);
CREATE INDEX repos_by_root_updated ON repos (root, updated, id, uid);
CREATE INDEX repos_by_updated ON repos (updated, id, uid);
CREATE INDEX repos_by_sync_source ON repos (sync_source, id) WHERE sync_source <> '';
CREATE UNIQUE INDEX repos_by_own_name ON repos (parent, name);

CREATE TABLE tags (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, part INTEGER NOT NULL,
  digest TEXT NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX tags_by_part_uid ON tags (part, uid, id);
CREATE INDEX tags_by_parent_part_name ON tags (parent, part, name, id);
CREATE INDEX tags_by_root_part_name ON tags (root, part, name, id, uid);
CREATE INDEX tags_by_part_name ON tags (part, name, id, uid);
CREATE INDEX tags_by_root_part_created ON tags (root, part, created, id, uid);
CREATE INDEX tags_by_part_created ON tags (part, created, id, uid);
CREATE INDEX tags_by_root_part_updated ON tags (root, part, updated, id, uid);
CREATE INDEX tags_by_part_updated ON tags (part, updated, id, uid);
CREATE INDEX tags_by_parent_part_created ON tags (parent, part, created, id);
CREATE INDEX tags_by_parent_part_updated ON tags (parent, part, updated, id);
CREATE INDEX tags_by_digest ON tags (digest, id);
CREATE UNIQUE INDEX tags_by_own_name ON tags (parent, name);

CREATE TABLE advisories (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, part INTEGER NOT NULL,
  terms TEXT NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL
);
CREATE INDEX advisories_by_part_uid ON advisories (part, uid, id);
CREATE INDEX advisories_by_root_part_created ON advisories (root, part, created, id, uid);
CREATE INDEX advisories_by_part_created ON advisories (part, created, id, uid);
CREATE INDEX advisories_by_root_part_updated ON advisories (root, part, updated, id, uid);
CREATE INDEX advisories_by_part_updated ON advisories (part, updated, id, uid);
CREATE INDEX advisories_by_parent_part_updated ON advisories (parent, part, updated, id);
CREATE UNIQUE INDEX advisories_by_own_name ON advisories (parent, name);

CREATE TABLE advisories_terms (
  kind TEXT NOT NULL, value TEXT NOT NULL, row_id INTEGER NOT NULL,
  PRIMARY KEY (kind, value, row_id)
) WITHOUT ROWID;

CREATE TABLE advisories_words (
  kind TEXT NOT NULL, value TEXT NOT NULL, folded TEXT NOT NULL,
  PRIMARY KEY (kind, value)
) WITHOUT ROWID;


