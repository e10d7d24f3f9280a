-- In tables/audit: names, changed fields and hash chains of audit entries (chains.ts), signed checkpoints of the chains
-- (checkpoints.ts), and what sinks got (sinks.ts). Nothing uses audit_segments and audit_postings any more; a later
-- version drops them.
ALTER TABLE audit ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN resource_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN resource_type TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN changed_fields TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN via TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN chain TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN previous_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
CREATE TABLE audit_segments (
  segment INTEGER PRIMARY KEY, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
  present TEXT NOT NULL);
CREATE TABLE audit_postings (
  kind TEXT NOT NULL, value TEXT NOT NULL, segment INTEGER NOT NULL,
  positions TEXT NOT NULL, PRIMARY KEY (kind, value, segment)) WITHOUT ROWID;
CREATE TABLE audit_checkpoints (
  id INTEGER PRIMARY KEY, root TEXT NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL,
  chain TEXT NOT NULL, sequence INTEGER NOT NULL, last_entry INTEGER NOT NULL,
  signed TEXT NOT NULL);
CREATE UNIQUE INDEX audit_checkpoints_by_root ON audit_checkpoints (root, number);
CREATE TABLE audit_keys (kid TEXT PRIMARY KEY, jwk TEXT NOT NULL);
CREATE TABLE audit_sinks (
  sink TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL,
  entry INTEGER NOT NULL, checkpoint INTEGER NOT NULL);
-- Entries of earlier versions have no chain.
INSERT INTO installation (name, value)
  SELECT 'audit-checkpoints', CAST(max(id) AS TEXT) FROM audit HAVING max(id) IS NOT NULL;
