-- Groups by the identity that deleted them (tables/access/deleted-groups.ts).
CREATE TABLE deleted_groups (
  uid TEXT PRIMARY KEY, identity TEXT NOT NULL, time INTEGER NOT NULL);
CREATE INDEX deleted_groups_by_time ON deleted_groups (time);
