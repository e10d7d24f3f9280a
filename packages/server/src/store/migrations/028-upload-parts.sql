-- Parts of uploads as rows (tables/registry/uploads.ts): a list in the upload was rewritten with each part.
CREATE TABLE upload_parts (
  upload TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
  PRIMARY KEY (upload, position)) WITHOUT ROWID;
-- Uploads in progress begin again; their files have no row any more, and are removed.
DELETE FROM uploads;
ALTER TABLE uploads DROP COLUMN parts;
