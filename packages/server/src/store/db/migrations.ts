import { ALL_TABLES, type Step } from "../schema/step.ts";
import type { Dialect } from "./connection.ts";

/**
 * The recorded steps of the schema. A released step is never edited; changes are new steps at the end:
 * statements for most tables, and a TableStep where the definition of a resource changes what its table
 * has (CONTRIBUTING.md, "Changing the schema"). Tables of new resources need no step.
 */
export function migrations(dialect: Dialect): readonly Step[] {
  const { id, text, integer, blob } = dialect;
  return [
    [
      `CREATE TABLE counts (
        uid ${text} NOT NULL, kind ${text} NOT NULL,
        children ${integer} NOT NULL, descendants ${integer} NOT NULL, changes ${integer} NOT NULL,
        PRIMARY KEY (uid, kind))`,
      `CREATE TABLE access_version (version ${integer} NOT NULL)`,
      `INSERT INTO access_version (version) VALUES (1)`,
      `CREATE TABLE signing_keys (
        kid ${text} PRIMARY KEY, private_jwk ${text} NOT NULL,
        created ${integer} NOT NULL, retires ${integer})`,
      `CREATE TABLE installation (name ${text} PRIMARY KEY, value ${text} NOT NULL)`,
      `CREATE TABLE audit (
        id ${id}, time ${integer} NOT NULL, actor ${text} NOT NULL, method ${text} NOT NULL,
        resource ${text} NOT NULL, request_id ${text} NOT NULL, remote_address ${text} NOT NULL,
        user_agent ${text} NOT NULL, code ${integer} NOT NULL, detail ${text} NOT NULL)`,
      `CREATE TABLE events (
        id ${id}, event_id ${text} NOT NULL, time ${integer} NOT NULL, type ${text} NOT NULL,
        subject ${text} NOT NULL, group_uid ${text} NOT NULL, actor ${text} NOT NULL,
        body_type ${text} NOT NULL, body ${text} NOT NULL)`,
    ],
    [
      `CREATE TABLE sessions (
        id ${text} PRIMARY KEY, identity ${text} NOT NULL, provider ${text} NOT NULL,
        created ${integer} NOT NULL, used ${integer} NOT NULL, expires ${integer} NOT NULL,
        generation ${integer} NOT NULL, mappings ${text} NOT NULL, person ${text} NOT NULL,
        remote_address ${text} NOT NULL, user_agent ${text} NOT NULL)`,
      `CREATE INDEX sessions_by_identity ON sessions (identity, created)`,
      `CREATE INDEX sessions_by_provider ON sessions (provider, created)`,
      `CREATE INDEX sessions_by_expires ON sessions (expires)`,
      `CREATE TABLE provider_people (
        provider ${text} NOT NULL, identity ${text} NOT NULL, external_id ${text} NOT NULL,
        PRIMARY KEY (provider, identity))`,
      `CREATE INDEX provider_people_by_external_id ON provider_people (provider, external_id)`,
      `CREATE INDEX provider_people_by_identity ON provider_people (identity)`,
      `CREATE TABLE tickets (
        digest ${text} PRIMARY KEY, purpose ${text} NOT NULL, payload ${text} NOT NULL,
        expires ${integer} NOT NULL)`,
      `CREATE INDEX tickets_by_expires ON tickets (expires)`,
      `CREATE TABLE secrets (
        owner ${text} NOT NULL, name ${text} NOT NULL, sealed ${blob} NOT NULL,
        PRIMARY KEY (owner, name))`,
      `CREATE TABLE scim_credentials (
        provider ${text} PRIMARY KEY, enabled ${integer} NOT NULL,
        token_hash ${text} NOT NULL, token_expires ${integer},
        previous_hash ${text} NOT NULL, previous_expires ${integer},
        revoked ${integer}, version ${integer} NOT NULL)`,
      `CREATE TABLE local_accounts (
        identity ${text} PRIMARY KEY, username ${text} NOT NULL UNIQUE,
        password_hash ${text} NOT NULL, failures ${integer} NOT NULL,
        locked_until ${integer} NOT NULL)`,
      `CREATE TABLE passkeys (
        credential_id ${text} PRIMARY KEY, identity ${text} NOT NULL, public_key ${blob} NOT NULL,
        counter ${integer} NOT NULL, transports ${text} NOT NULL, backed_up ${integer} NOT NULL,
        name ${text} NOT NULL, created ${integer} NOT NULL, used ${integer} NOT NULL)`,
      `CREATE INDEX passkeys_by_identity ON passkeys (identity)`,
      ...["scim_users", "scim_groups"].flatMap((table) => [
        `CREATE TABLE ${table} (
          id ${id}, provider ${text} NOT NULL, resource ${text} NOT NULL, name ${text} NOT NULL,
          external_id ${text} NOT NULL, created ${integer} NOT NULL, updated ${integer} NOT NULL,
          version ${integer} NOT NULL, data ${text} NOT NULL, UNIQUE (provider, resource))`,
        `CREATE INDEX ${table}_in_order ON ${table} (provider, id)`,
        `CREATE INDEX ${table}_by_name ON ${table} (provider, name)`,
        `CREATE UNIQUE INDEX ${table}_by_external_id ON ${table} (provider, external_id)
         WHERE external_id <> ''`,
      ]),
      `CREATE TABLE scim_members (
        provider ${text} NOT NULL, group_id ${text} NOT NULL, user_id ${text} NOT NULL,
        PRIMARY KEY (provider, group_id, user_id))`,
      `CREATE INDEX scim_members_by_user ON scim_members (provider, user_id)`,
      `CREATE TABLE registry_keys (
        kid ${text} PRIMARY KEY, private_jwk ${text} NOT NULL, certificate ${text} NOT NULL,
        created ${integer} NOT NULL, retires ${integer})`,
    ],
    [
      `CREATE TABLE manifests (
        repo ${text} NOT NULL, digest ${text} NOT NULL, media_type ${text} NOT NULL,
        kind ${text} NOT NULL, architecture ${text} NOT NULL, size ${integer} NOT NULL,
        children ${text} NOT NULL, subject ${text} NOT NULL, config_digest ${text} NOT NULL,
        pushed ${integer} NOT NULL, pulled ${integer} NOT NULL, PRIMARY KEY (repo, digest))`,
      `CREATE INDEX manifests_by_subject ON manifests (repo, subject) WHERE subject <> ''`,
      `CREATE TABLE tag_history (
        id ${id}, repo ${text} NOT NULL, name ${text} NOT NULL, digest ${text} NOT NULL,
        time ${integer} NOT NULL, seen ${integer} NOT NULL)`,
      `CREATE UNIQUE INDEX tag_history_in_order ON tag_history (repo, name, time, digest)`,
      `CREATE TABLE repo_readmes (repo ${text} PRIMARY KEY, content ${text} NOT NULL)`,
    ],
    [
      `CREATE TABLE registry_places (
        host ${text} NOT NULL, path ${text} NOT NULL, repo ${text} NOT NULL,
        made ${integer} NOT NULL, seen ${integer} NOT NULL, PRIMARY KEY (host, path))`,
      `CREATE INDEX registry_places_by_repo ON registry_places (repo)`,
      `CREATE TABLE manifest_deletions (
        repo ${text} NOT NULL, digest ${text} NOT NULL, time ${integer} NOT NULL,
        PRIMARY KEY (repo, digest))`,
      `CREATE TABLE registry_notices (
        host ${text} NOT NULL, id ${text} NOT NULL, time ${integer} NOT NULL,
        PRIMARY KEY (host, id))`,
      `CREATE INDEX registry_notices_by_time ON registry_notices (time)`,
      `CREATE TABLE registry_passes (
        host ${text} PRIMARY KEY, holder ${text} NOT NULL, expires ${integer} NOT NULL,
        began ${integer} NOT NULL, last ${text} NOT NULL, finished ${integer} NOT NULL)`,
    ],
    [
      `ALTER TABLE registry_passes ADD COLUMN requested ${integer} NOT NULL DEFAULT 0`,
      `ALTER TABLE registry_passes ADD COLUMN findings ${text} NOT NULL DEFAULT '{}'`,
      `ALTER TABLE registry_passes ADD COLUMN problem ${text} NOT NULL DEFAULT ''`,
      `CREATE TABLE path_deletions (
        host ${text} NOT NULL, path ${text} NOT NULL, what ${text} NOT NULL,
        time ${integer} NOT NULL, PRIMARY KEY (host, path, what))`,
      `CREATE TABLE registry_settings (
        group_uid ${text} PRIMARY KEY, unique_tags ${integer} NOT NULL,
        eol_grace_period ${integer} NOT NULL)`,
      `CREATE TABLE vulnerabilities (
        place ${text} NOT NULL, id ${text} NOT NULL, updated ${integer} NOT NULL,
        data ${blob} NOT NULL, PRIMARY KEY (place, id))`,
      `CREATE TABLE vulnerability_names (
        place ${text} NOT NULL, id ${text} NOT NULL, name ${text} NOT NULL,
        PRIMARY KEY (place, id, name))`,
      `CREATE INDEX vulnerability_names_by_name ON vulnerability_names (name, place)`,
      `CREATE TABLE subpackages (
        place ${text} NOT NULL, origin ${text} NOT NULL, name ${text} NOT NULL,
        PRIMARY KEY (origin, place, name))`,
      `CREATE INDEX subpackages_by_place ON subpackages (place)`,
      `CREATE TABLE vulnerability_changes (
        place ${text} PRIMARY KEY, number ${integer} NOT NULL, latest ${integer} NOT NULL)`,
      `CREATE TABLE severity_changes (
        place ${text} NOT NULL, name ${text} NOT NULL, time ${integer} NOT NULL,
        last_row ${integer} NOT NULL, beside ${text} NOT NULL, PRIMARY KEY (place, name))`,
    ],
    sealedSecrets(dialect),
    memberships(dialect),
    expiryByIndex(dialect),
    grantChanges(dialect),
    signingAlgorithms(dialect),
    repoDeletions(dialect),
    deletedGroups(dialect),
    advisorySources(dialect),
    // Earlier versions recorded no changes of the tables of resources.
    { table: ALL_TABLES },
    commitMarkers(dialect),
    idempotencyKeys(dialect),
  ];
}

/** Groups by the identity that deleted them (deleted-groups.ts). */
function deletedGroups({ text, integer }: Dialect): readonly string[] {
  return [
    `CREATE TABLE deleted_groups (
      uid ${text} PRIMARY KEY, identity ${text} NOT NULL, time ${integer} NOT NULL)`,
    "CREATE INDEX deleted_groups_by_time ON deleted_groups (time)",
  ];
}

function memberships({ text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE memberships (
      identity ${text} NOT NULL, provider ${text} NOT NULL, client_id ${text} NOT NULL,
      scope ${text} NOT NULL, PRIMARY KEY (identity, provider, client_id, scope))`,
    "CREATE INDEX memberships_by_provider ON memberships (provider)",
  ];
}

/**
 * Moves private keys and installation secrets to the table of sealed secrets. Sealing needs the secret key,
 * which SQL does not have: the values are in `unsealed` until the same startup seals them.
 */
function sealedSecrets({ name, text }: Dialect): readonly string[] {
  const inInstallation =
    "FROM installation WHERE name IN ('page-tokens', 'refresh-tokens', 'registry-notifications')";
  return [
    ...(name === "sqlite" ? ["PRAGMA secure_delete = ON"] : []),
    `CREATE TABLE unsealed (
      owner ${text} NOT NULL, name ${text} NOT NULL, value ${text} NOT NULL,
      PRIMARY KEY (owner, name))`,
    "INSERT INTO unsealed SELECT 'signing-keys', kid, private_jwk FROM signing_keys",
    "INSERT INTO unsealed SELECT 'registry-keys', kid, private_jwk FROM registry_keys",
    `INSERT INTO unsealed SELECT name, 'first', value ${inInstallation}`,
    `DELETE ${inInstallation}`,
    "ALTER TABLE signing_keys DROP COLUMN private_jwk",
    "ALTER TABLE registry_keys DROP COLUMN private_jwk",
  ];
}

/**
 * Indexes expiration times, and tickets by identity and client network. Sign-ins in progress must start
 * again; codes from operators stay valid. Adds the table of probes.
 */
function expiryByIndex({ name, id, text, blob }: Dialect): readonly string[] {
  const inPayload =
    name === "postgres" ? "payload::jsonb ->> 'identity'" : "payload ->> '$.identity'";
  return [
    "DELETE FROM tickets WHERE purpose NOT IN ('setup', 'reset')",
    `ALTER TABLE tickets ADD COLUMN identity ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE tickets ADD COLUMN provider ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE tickets ADD COLUMN network ${text} NOT NULL DEFAULT ''`,
    `UPDATE tickets SET identity = coalesce(${inPayload}, '') WHERE purpose = 'reset'`,
    "CREATE INDEX tickets_by_identity ON tickets (identity)",
    "CREATE INDEX tickets_by_network ON tickets (network, expires)",
    "CREATE INDEX audit_by_time ON audit (time)",
    "CREATE INDEX events_by_time ON events (time)",
    "CREATE INDEX manifest_deletions_by_time ON manifest_deletions (time)",
    "CREATE INDEX path_deletions_by_time ON path_deletions (time)",
    `CREATE TABLE store_probes (id ${id}, filler ${blob} NOT NULL)`,
  ];
}

/** The log of changed grants (access-log.ts). Older servers advance only the version. */
function grantChanges({ text, integer, withoutRowid }: Dialect): readonly string[] {
  return [
    `ALTER TABLE access_version ADD COLUMN logged ${integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE grant_changes (
      version ${integer} NOT NULL, identity ${text} NOT NULL, root ${text} NOT NULL,
      PRIMARY KEY (version, identity, root)) ${withoutRowid}`,
  ];
}

/** Keys of earlier versions are for ES256. */
function signingAlgorithms({ text }: Dialect): readonly string[] {
  return [`ALTER TABLE signing_keys ADD COLUMN algorithm ${text} NOT NULL DEFAULT 'ES256'`];
}

/** Repos that callers deleted while their images stay in registries, and lists of images by time. */
function repoDeletions({ text, integer }: Dialect): readonly string[] {
  return [
    `CREATE TABLE repo_deletions (
      host ${text} NOT NULL, path ${text} NOT NULL, repo ${text} NOT NULL, time ${integer} NOT NULL,
      seen ${integer} NOT NULL, PRIMARY KEY (host, path))`,
    "CREATE INDEX repo_deletions_by_repo ON repo_deletions (repo)",
    "CREATE INDEX manifests_by_push ON manifests (repo, pushed, digest)",
  ];
}

/** Records of other databases that advisories were imported from (advisory-sources.ts). */
function advisorySources({ text, integer, blob }: Dialect): readonly string[] {
  return [
    `CREATE TABLE advisory_records (
      group_uid ${text} NOT NULL, digest ${text} NOT NULL, data ${text} NOT NULL,
      PRIMARY KEY (group_uid, digest))`,
    `CREATE TABLE advisory_sources (
      advisory ${text} NOT NULL, time ${integer} NOT NULL, group_uid ${text} NOT NULL,
      record ${text} NOT NULL, affected ${text} NOT NULL, described ${blob} NOT NULL,
      imported ${integer} NOT NULL, modified ${integer} NOT NULL, written ${text} NOT NULL, rated ${integer} NOT NULL,
      PRIMARY KEY (advisory, time))`,
    "CREATE INDEX advisory_sources_by_record ON advisory_sources (group_uid, record)",
  ];
}

/** The last batch of each connection that writes (postgres/batches.ts); the embedded database needs none. */
function commitMarkers({ name }: Dialect): readonly string[] {
  if (name === "sqlite") return [];
  return [
    `CREATE TABLE commit_markers (
      connection TEXT PRIMARY KEY, batch BIGINT NOT NULL, time TIMESTAMPTZ NOT NULL)`,
  ];
}

/** Responses of creates by idempotency key, for a day (idempotency-keys.ts). */
function idempotencyKeys({ text, integer }: Dialect): readonly string[] {
  return [
    `CREATE TABLE idempotency_keys (
      id ${text} PRIMARY KEY, request ${text} NOT NULL, response ${text} NOT NULL,
      expires ${integer} NOT NULL)`,
    "CREATE INDEX idempotency_keys_by_expires ON idempotency_keys (expires)",
  ];
}
