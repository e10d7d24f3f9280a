-- Bindings of people and of workloads.
ALTER TABLE role_bindings ADD COLUMN IF NOT EXISTS identity_kind INTEGER NOT NULL DEFAULT 0;
-- backfill: role_bindings.identity_kind
CREATE INDEX role_bindings_by_identity_kind ON role_bindings (identity_kind, id);
