import type { Dialect } from "./connection.ts";

/** The steps of the first complete version: tables of access, sign-in, the registry and advisories. */
export function firstMigrations({
  id,
  text,
  integer,
  blob,
}: Dialect): readonly (readonly string[])[] {
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
  ];
}
