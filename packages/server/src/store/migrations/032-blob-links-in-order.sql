-- Links of blobs in the order of digests and repos, in which the collection of garbage reads them in pages
-- (tables/registry/blob-garbage.ts): a base layer has as many links as there are repos.
DROP INDEX blob_links_by_digest;
CREATE INDEX blob_links_in_order ON blob_links (digest, repo);
