-- The log of changed grants (tables/access/access-log.ts). Older servers advance only the version.
ALTER TABLE access_version ADD COLUMN logged INTEGER NOT NULL DEFAULT 0;
CREATE TABLE grant_changes (
  version INTEGER NOT NULL, identity TEXT NOT NULL, root TEXT NOT NULL,
  PRIMARY KEY (version, identity, root)) WITHOUT ROWID;
