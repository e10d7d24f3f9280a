-- Retention (tables/registry/retention.ts): tags whose deletion is announced, deleted tags that can be restored, and the last
-- pull of each image by each identity.
CREATE TABLE tag_expirations (
  repo TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, policy TEXT NOT NULL, notice INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (repo, name)) WITHOUT ROWID;
CREATE INDEX tag_expirations_by_policy ON tag_expirations (policy);
CREATE TABLE deleted_tags (
  repo TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, deleted INTEGER NOT NULL, expires INTEGER NOT NULL,
  actor TEXT NOT NULL, actor_name TEXT NOT NULL,
  PRIMARY KEY (repo, name)) WITHOUT ROWID;
CREATE INDEX deleted_tags_by_expiry ON deleted_tags (expires);
CREATE INDEX deleted_tags_by_digest ON deleted_tags (repo, digest);
CREATE TABLE manifest_pulls (
  repo TEXT NOT NULL, digest TEXT NOT NULL, identity TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (repo, digest, identity)) WITHOUT ROWID;
