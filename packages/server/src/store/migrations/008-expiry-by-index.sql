-- Indexes expiration times, and tickets by identity and client network. Sign-ins in progress must start again; codes
-- from operators stay valid. Adds the table of probes.
DELETE FROM tickets WHERE purpose NOT IN ('setup', 'reset');
ALTER TABLE tickets ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN network TEXT NOT NULL DEFAULT '';
-- sqlite:
UPDATE tickets SET identity = coalesce(payload ->> '$.identity', '') WHERE purpose = 'reset';
-- postgres:
UPDATE tickets SET identity = coalesce(payload::jsonb ->> 'identity', '') WHERE purpose = 'reset';
CREATE INDEX tickets_by_identity ON tickets (identity);
CREATE INDEX tickets_by_network ON tickets (network, expires);
CREATE INDEX audit_by_time ON audit (time);
CREATE INDEX events_by_time ON events (time);
CREATE INDEX manifest_deletions_by_time ON manifest_deletions (time);
CREATE INDEX path_deletions_by_time ON path_deletions (time);
CREATE TABLE store_probes (id INTEGER PRIMARY KEY, filler BLOB NOT NULL);
