-- Records of other databases that advisories were imported from (tables/advisories/sources.ts).
CREATE TABLE advisory_records (
  group_uid TEXT NOT NULL, digest TEXT NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (group_uid, digest));
CREATE TABLE advisory_sources (
  advisory TEXT NOT NULL, time INTEGER NOT NULL, group_uid TEXT NOT NULL,
  record TEXT NOT NULL, affected TEXT NOT NULL, described BLOB NOT NULL,
  imported INTEGER NOT NULL, modified INTEGER NOT NULL, written TEXT NOT NULL, rated INTEGER NOT NULL,
  PRIMARY KEY (advisory, time));
CREATE INDEX advisory_sources_by_record ON advisory_sources (group_uid, record);
