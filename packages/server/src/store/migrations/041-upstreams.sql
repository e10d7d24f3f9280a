-- From the definitions of resources.
CREATE TABLE upstreams (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL);
CREATE INDEX upstreams_by_parent_name ON upstreams (parent, name, id);
CREATE INDEX upstreams_by_root_name ON upstreams (root, name, id, uid);
CREATE INDEX upstreams_by_name ON upstreams (name, id, uid);
CREATE INDEX upstreams_by_root_created ON upstreams (root, created, id, uid);
CREATE INDEX upstreams_by_created ON upstreams (created, id, uid);
CREATE INDEX upstreams_by_root_updated ON upstreams (root, updated, id, uid);
CREATE INDEX upstreams_by_updated ON upstreams (updated, id, uid);
