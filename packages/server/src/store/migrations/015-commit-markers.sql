-- The last batch of each connection that writes (postgres/batches.ts); the embedded database needs none.
-- postgres:
CREATE TABLE commit_markers (connection TEXT PRIMARY KEY, batch BIGINT NOT NULL, time TIMESTAMPTZ NOT NULL);
