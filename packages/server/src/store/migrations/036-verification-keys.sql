-- From the definitions of resources.
CREATE TABLE verification_keys (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL);
CREATE INDEX verification_keys_by_root_name ON verification_keys (root, name, id, uid);
CREATE INDEX verification_keys_by_name ON verification_keys (name, id, uid);
CREATE INDEX verification_keys_by_root_created ON verification_keys (root, created, id, uid);
CREATE INDEX verification_keys_by_created ON verification_keys (created, id, uid);
CREATE INDEX verification_keys_by_root_updated ON verification_keys (root, updated, id, uid);
CREATE INDEX verification_keys_by_updated ON verification_keys (updated, id, uid);
CREATE UNIQUE INDEX verification_keys_by_own_name ON verification_keys (parent, name);
