-- The log of changed rows. Nothing uses it any more; a later version drops it.
CREATE TABLE row_log (
  kind TEXT NOT NULL, version INTEGER NOT NULL, since INTEGER NOT NULL, uids TEXT NOT NULL,
  PRIMARY KEY (kind, version)) WITHOUT ROWID;
