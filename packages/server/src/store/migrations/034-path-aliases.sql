-- The former names of folders and repos in paths of images (tables/registry/path-aliases.ts).
CREATE TABLE path_aliases (
  parent TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL, expires INTEGER NOT NULL,
  PRIMARY KEY (parent, kind, name));
CREATE INDEX path_aliases_by_target ON path_aliases (target);
CREATE INDEX path_aliases_by_expires ON path_aliases (expires);
