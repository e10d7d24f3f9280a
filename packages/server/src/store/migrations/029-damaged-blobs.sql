-- When the content of a blob was found damaged.
ALTER TABLE blobs ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;
CREATE INDEX blobs_damaged ON blobs (digest) WHERE damaged > 0;
