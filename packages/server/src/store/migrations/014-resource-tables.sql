-- What tables of resources lack that were created by the definitions of earlier versions.
ALTER TABLE groups ADD COLUMN IF NOT EXISTS last_step TEXT NOT NULL DEFAULT '';
-- backfill: groups.last_step
CREATE INDEX groups_by_last_step ON groups (last_step, id) WHERE last_step <> '';
CREATE INDEX role_bindings_by_identity_uid_parent_role_uid ON role_bindings (identity_uid, parent, role_uid, id);
-- Unused since step 27.
CREATE TABLE IF NOT EXISTS table_digests (name TEXT PRIMARY KEY, digest TEXT NOT NULL);
