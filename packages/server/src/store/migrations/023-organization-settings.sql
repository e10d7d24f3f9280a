-- Settings of organizations other than the defaults (tables/organization-settings.ts).
CREATE TABLE organization_settings (
  root TEXT PRIMARY KEY, unique_siblings INTEGER NOT NULL);
