-- The content of the registry of this server by group (tables/registry/content.ts): each blob and manifest once, with the
-- number of its links, and the totals of groups and repos; and these totals by day (tables/registry/content-history.ts).
CREATE TABLE content_links (
  scope TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, links INTEGER NOT NULL,
  PRIMARY KEY (scope, digest)) WITHOUT ROWID;
CREATE TABLE content_totals (
  scope TEXT PRIMARY KEY, contents INTEGER NOT NULL, bytes INTEGER NOT NULL, linked INTEGER NOT NULL);
CREATE TABLE content_history (
  scope TEXT NOT NULL, day INTEGER NOT NULL, contents INTEGER NOT NULL, bytes INTEGER NOT NULL, linked INTEGER NOT NULL,
  repos INTEGER NOT NULL, tags INTEGER NOT NULL,
  PRIMARY KEY (scope, day));
CREATE INDEX content_history_by_day ON content_history (day);
-- repeat:
INSERT INTO content_links (scope, digest, size, links)
  SELECT owner.uid, linked.digest, max(linked.size), count(*) FROM groups owner
  JOIN (SELECT blob_links.repo, blob_links.digest, blobs.size FROM blob_links JOIN blobs ON blobs.digest = blob_links.digest
    UNION ALL SELECT repo, digest, length(content) FROM manifests WHERE content IS NOT NULL) linked
    ON linked.repo > owner.uid || '/' AND linked.repo < owner.uid || '0'
  WHERE true GROUP BY owner.uid, linked.digest
  ON CONFLICT DO NOTHING;
-- repeat:
INSERT INTO content_totals (scope, contents, bytes, linked)
  SELECT scope, count(*), sum(size), sum(size * links) FROM content_links WHERE true GROUP BY scope
  ON CONFLICT DO NOTHING;
-- repeat:
INSERT INTO content_totals (scope, contents, bytes, linked)
  SELECT linked.repo, count(*), sum(linked.size), sum(linked.size) FROM (
    SELECT blob_links.repo, blobs.size FROM blob_links JOIN blobs ON blobs.digest = blob_links.digest
    UNION ALL SELECT repo, length(content) FROM manifests WHERE content IS NOT NULL) linked
  WHERE true GROUP BY linked.repo
  ON CONFLICT DO NOTHING;
