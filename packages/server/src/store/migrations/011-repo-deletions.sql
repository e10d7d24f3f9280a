-- Repos that callers deleted while their images stay in registries, and lists of images by time.
CREATE TABLE repo_deletions (
  host TEXT NOT NULL, path TEXT NOT NULL, repo TEXT NOT NULL, time INTEGER NOT NULL,
  seen INTEGER NOT NULL, PRIMARY KEY (host, path));
CREATE INDEX repo_deletions_by_repo ON repo_deletions (repo);
CREATE INDEX manifests_by_push ON manifests (repo, pushed, digest);
