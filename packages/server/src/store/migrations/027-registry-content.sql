-- The content of the registry in tables/registry: bytes of manifests and the blobs that they refer to (manifests.ts),
-- blobs, their links to repos with leases (blobs.ts), and uploads (uploads.ts).
ALTER TABLE manifests ADD COLUMN content BLOB;
CREATE TABLE manifest_references (
  repo TEXT NOT NULL, manifest TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (repo, manifest, digest)) WITHOUT ROWID;
CREATE INDEX manifest_references_by_digest ON manifest_references (digest, repo);
CREATE TABLE blobs (
  digest TEXT PRIMARY KEY, size INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE TABLE blob_links (
  repo TEXT NOT NULL, digest TEXT NOT NULL, leased INTEGER NOT NULL,
  PRIMARY KEY (repo, digest)) WITHOUT ROWID;
CREATE INDEX blob_links_by_digest ON blob_links (digest);
CREATE TABLE uploads (
  id TEXT PRIMARY KEY, path TEXT NOT NULL, actor TEXT NOT NULL, touched INTEGER NOT NULL,
  size INTEGER NOT NULL, parts TEXT NOT NULL);
CREATE INDEX uploads_by_touched ON uploads (touched);
