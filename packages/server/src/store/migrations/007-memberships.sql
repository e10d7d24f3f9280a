CREATE TABLE memberships (
  identity TEXT NOT NULL, provider TEXT NOT NULL, client_id TEXT NOT NULL,
  scope TEXT NOT NULL, PRIMARY KEY (identity, provider, client_id, scope));
CREATE INDEX memberships_by_provider ON memberships (provider);
