import { ALL_TABLES, type Step } from "../schema/step.ts";
import type { Dialect } from "./connection.ts";
import { firstMigrations } from "./first-migrations.ts";

/**
 * The recorded steps of the schema. A released step is never edited; changes are new steps at the end:
 * statements for most tables, and a TableStep where the definition of a resource changes what its table
 * has (CONTRIBUTING.md, "Changing the schema"). Tables of new resources need no step.
 */
export function migrations(dialect: Dialect): readonly Step[] {
  return [
    ...firstMigrations(dialect),
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
    listIndexes(dialect),
    rowLog(dialect),
    eventDelivery(dialect),
    auditLog(dialect),
    [
      // What the actor of an event exchanged for its token.
      `ALTER TABLE events ADD COLUMN act ${dialect.text} NOT NULL DEFAULT ''`,
      "CREATE INDEX leases_by_expires ON leases (expires)",
    ],
    // Bindings of people and of workloads.
    { table: "role_bindings" },
    organizationSettings(dialect),
    // Counts of deliveries over time read this index alone.
    ["CREATE INDEX deliveries_by_subscription_state ON deliveries (subscription, state, time)"],
    // The indexes of orders end in the uid.
    { table: ALL_TABLES },
    auditSearch(dialect),
    registryContent(dialect),
  ];
}

/**
 * The content of the registry in tables/registry: bytes of manifests and the blobs that they refer to (manifests.ts),
 * blobs, their links to repos with leases (blobs.ts), and uploads (uploads.ts).
 */
function registryContent({ text, integer, blob, withoutRowid }: Dialect): readonly string[] {
  return [
    `ALTER TABLE manifests ADD COLUMN content ${blob}`,
    `CREATE TABLE manifest_references (
      repo ${text} NOT NULL, manifest ${text} NOT NULL, digest ${text} NOT NULL,
      PRIMARY KEY (repo, manifest, digest)) ${withoutRowid}`,
    "CREATE INDEX manifest_references_by_digest ON manifest_references (digest, repo)",
    `CREATE TABLE blobs (
      digest ${text} PRIMARY KEY, size ${integer} NOT NULL, created ${integer} NOT NULL)`,
    `CREATE TABLE blob_links (
      repo ${text} NOT NULL, digest ${text} NOT NULL, leased ${integer} NOT NULL,
      PRIMARY KEY (repo, digest)) ${withoutRowid}`,
    "CREATE INDEX blob_links_by_digest ON blob_links (digest)",
    `CREATE TABLE uploads (
      id ${text} PRIMARY KEY, path ${text} NOT NULL, actor ${text} NOT NULL, touched ${integer} NOT NULL,
      size ${integer} NOT NULL, parts ${text} NOT NULL)`,
    "CREATE INDEX uploads_by_touched ON uploads (touched)",
  ];
}

/**
 * Entries by root and time (tables/audit/search.ts), instead of by time alone. Counting reads nothing else on SQLite; rows
 * of an index of PostgreSQL have a maximum size, which uids of denied requests can exceed.
 */
function auditSearch({ name }: Dialect): readonly string[] {
  const compared = "code, via, method, actor, remote_address, session, request_id, resource";
  const columns = name === "sqlite" ? `time, ${compared}` : "time";
  return [
    "DROP INDEX IF EXISTS audit_by_time",
    `CREATE INDEX audit_by_root ON audit (substr(resource, 1, 41), ${columns})`,
  ];
}

/** Settings of organizations other than the defaults (tables/organization-settings.ts). */
function organizationSettings({ text, integer }: Dialect): readonly string[] {
  return [
    `CREATE TABLE organization_settings (
      root ${text} PRIMARY KEY, unique_siblings ${integer} NOT NULL)`,
  ];
}

/** Groups by the identity that deleted them (tables/access/deleted-groups.ts). */
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

/** The log of changed grants (tables/access/access-log.ts). Older servers advance only the version. */
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

/** Records of other databases that advisories were imported from (tables/advisories/sources.ts). */
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

/** Responses of creates by idempotency key, for a day (tables/idempotency-keys.ts). */
function idempotencyKeys({ text, integer }: Dialect): readonly string[] {
  return [
    `CREATE TABLE idempotency_keys (
      id ${text} PRIMARY KEY, request ${text} NOT NULL, response ${text} NOT NULL,
      expires ${integer} NOT NULL)`,
    "CREATE INDEX idempotency_keys_by_expires ON idempotency_keys (expires)",
  ];
}

/**
 * Indexes of single lists. Nothing uses them any more; a later version drops them, when no replica runs that does.
 */
function listIndexes({ id, text, integer, withoutRowid }: Dialect): readonly string[] {
  return [
    `ALTER TABLE counts ADD COLUMN lists ${integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE list_indexes (
      id ${id}, kind ${text} NOT NULL, scope ${text} NOT NULL, reach ${text} NOT NULL,
      sort ${text} NOT NULL, form ${text} NOT NULL, filter_by ${text} NOT NULL, state ${text} NOT NULL,
      changes ${integer} NOT NULL, row_count ${integer} NOT NULL, cursor_key ${text} NOT NULL,
      cursor_id ${integer} NOT NULL, used ${integer} NOT NULL,
      UNIQUE (kind, scope, reach, sort, form, filter_by))`,
    `CREATE TABLE list_entries (
      list ${integer} NOT NULL, key ${text} NOT NULL, row_id ${integer} NOT NULL,
      PRIMARY KEY (list, key, row_id)) ${withoutRowid}`,
    `CREATE TABLE list_blocks (
      id ${id}, list ${integer} NOT NULL, key ${text} NOT NULL, row_id ${integer} NOT NULL,
      row_count ${integer} NOT NULL, UNIQUE (list, key, row_id))`,
  ];
}

/** The log of changed rows. Nothing uses it any more; a later version drops it. */
function rowLog({ text, integer, withoutRowid }: Dialect): readonly string[] {
  return [
    `CREATE TABLE row_log (
      kind ${text} NOT NULL, version ${integer} NOT NULL, since ${integer} NOT NULL, uids ${text} NOT NULL,
      PRIMARY KEY (kind, version)) ${withoutRowid}`,
  ];
}

/**
 * The log of events in the order of their commits (tables/events/event-log.ts), leases, and deliveries to subscriptions.
 * On PostgreSQL each event has its transaction, also those that replicas of the previous version write.
 */
function eventDelivery({ name, id, text, integer }: Dialect): readonly string[] {
  return [
    ...(name === "sqlite"
      ? []
      : [
          "ALTER TABLE events ADD COLUMN tx BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE events ALTER COLUMN tx SET DEFAULT (pg_current_xact_id()::text::bigint)",
          "CREATE INDEX events_in_order ON events (tx, id)",
        ]),
    "CREATE INDEX events_by_group ON events (group_uid, id)",
    `CREATE TABLE leases (
      name ${text} PRIMARY KEY, holder ${text} NOT NULL, expires ${integer} NOT NULL)`,
    `CREATE TABLE event_cursors (
      name ${text} PRIMARY KEY, tx ${integer} NOT NULL, id ${integer} NOT NULL)`,
    `CREATE TABLE subscription_states (
      uid ${text} PRIMARY KEY, start_tx ${integer} NOT NULL, start_id ${integer} NOT NULL,
      due ${integer} NOT NULL, arrivals ${integer} NOT NULL, failing_since ${integer} NOT NULL,
      last_success ${integer} NOT NULL, last_failure ${integer} NOT NULL,
      paused_until ${integer} NOT NULL)`,
    "CREATE INDEX subscription_states_by_due ON subscription_states (due)",
    "CREATE INDEX subscription_states_by_start ON subscription_states (start_tx, start_id)",
    `CREATE TABLE deliveries (
      id ${id}, subscription ${text} NOT NULL, event ${integer} NOT NULL, event_id ${text} NOT NULL,
      type ${text} NOT NULL, subject ${text} NOT NULL, state ${integer} NOT NULL, replay ${integer} NOT NULL,
      time ${integer} NOT NULL, next_at ${integer} NOT NULL, attempts ${text} NOT NULL)`,
    "CREATE INDEX deliveries_pending ON deliveries (subscription, id) WHERE state = 0",
    "CREATE INDEX deliveries_by_subscription ON deliveries (subscription, id)",
    "CREATE INDEX deliveries_by_time ON deliveries (time)",
  ];
}

/**
 * In tables/audit: names, changed fields and hash chains of audit entries (chains.ts), signed checkpoints of the chains
 * (checkpoints.ts), and what sinks got (sinks.ts). Nothing uses audit_segments and audit_postings any more; a later
 * version drops them.
 */
function auditLog({ id, text, integer, withoutRowid }: Dialect): readonly string[] {
  const texts = [
    ...["actor_name", "resource_name", "resource_type", "changed_fields", "session", "via"],
    ...["chain", "previous_hash", "hash"],
  ];
  return [
    ...texts.map((name) => `ALTER TABLE audit ADD COLUMN ${name} ${text} NOT NULL DEFAULT ''`),
    `ALTER TABLE audit ADD COLUMN sequence ${integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE audit_segments (
      segment ${integer} PRIMARY KEY, first_time ${integer} NOT NULL, last_time ${integer} NOT NULL,
      present ${text} NOT NULL)`,
    `CREATE TABLE audit_postings (
      kind ${text} NOT NULL, value ${text} NOT NULL, segment ${integer} NOT NULL,
      positions ${text} NOT NULL, PRIMARY KEY (kind, value, segment)) ${withoutRowid}`,
    `CREATE TABLE audit_checkpoints (
      id ${id}, root ${text} NOT NULL, number ${integer} NOT NULL, time ${integer} NOT NULL,
      chain ${text} NOT NULL, sequence ${integer} NOT NULL, last_entry ${integer} NOT NULL,
      signed ${text} NOT NULL)`,
    "CREATE UNIQUE INDEX audit_checkpoints_by_root ON audit_checkpoints (root, number)",
    `CREATE TABLE audit_keys (kid ${text} PRIMARY KEY, jwk ${text} NOT NULL)`,
    `CREATE TABLE audit_sinks (
      sink ${text} PRIMARY KEY, owner ${text} NOT NULL, expires ${integer} NOT NULL,
      entry ${integer} NOT NULL, checkpoint ${integer} NOT NULL)`,
    // Entries of earlier versions have no chain.
    `INSERT INTO installation (name, value)
     SELECT 'audit-checkpoints', CAST(max(id) AS TEXT) FROM audit HAVING max(id) IS NOT NULL`,
  ];
}
