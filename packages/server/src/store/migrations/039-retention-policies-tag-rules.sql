-- From the definitions of resources.
CREATE TABLE retention_policies (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL);
CREATE INDEX retention_policies_by_parent_name ON retention_policies (parent, name, id);
CREATE INDEX retention_policies_by_root_name ON retention_policies (root, name, id, uid);
CREATE INDEX retention_policies_by_name ON retention_policies (name, id, uid);
CREATE INDEX retention_policies_by_root_created ON retention_policies (root, created, id, uid);
CREATE INDEX retention_policies_by_created ON retention_policies (created, id, uid);
CREATE INDEX retention_policies_by_root_updated ON retention_policies (root, updated, id, uid);
CREATE INDEX retention_policies_by_updated ON retention_policies (updated, id, uid);

CREATE TABLE tag_rules (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, encoding INTEGER NOT NULL, data BLOB NOT NULL, json TEXT NOT NULL);
CREATE INDEX tag_rules_by_parent_name ON tag_rules (parent, name, id);
CREATE INDEX tag_rules_by_root_name ON tag_rules (root, name, id, uid);
CREATE INDEX tag_rules_by_name ON tag_rules (name, id, uid);
CREATE INDEX tag_rules_by_root_created ON tag_rules (root, created, id, uid);
CREATE INDEX tag_rules_by_created ON tag_rules (created, id, uid);
CREATE INDEX tag_rules_by_root_updated ON tag_rules (root, updated, id, uid);
CREATE INDEX tag_rules_by_updated ON tag_rules (updated, id, uid);
