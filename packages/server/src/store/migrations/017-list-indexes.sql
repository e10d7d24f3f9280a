-- Indexes of single lists. Nothing uses them any more; a later version drops them, when no replica runs that does.
ALTER TABLE counts ADD COLUMN lists INTEGER NOT NULL DEFAULT 0;
CREATE TABLE list_indexes (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, reach TEXT NOT NULL,
  sort TEXT NOT NULL, form TEXT NOT NULL, filter_by TEXT NOT NULL, state TEXT NOT NULL,
  changes INTEGER NOT NULL, row_count INTEGER NOT NULL, cursor_key TEXT NOT NULL,
  cursor_id INTEGER NOT NULL, used INTEGER NOT NULL,
  UNIQUE (kind, scope, reach, sort, form, filter_by));
CREATE TABLE list_entries (
  list INTEGER NOT NULL, key TEXT NOT NULL, row_id INTEGER NOT NULL,
  PRIMARY KEY (list, key, row_id)) WITHOUT ROWID;
CREATE TABLE list_blocks (
  id INTEGER PRIMARY KEY, list INTEGER NOT NULL, key TEXT NOT NULL, row_id INTEGER NOT NULL,
  row_count INTEGER NOT NULL, UNIQUE (list, key, row_id));
