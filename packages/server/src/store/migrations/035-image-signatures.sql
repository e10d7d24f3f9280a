-- Signatures and signed attestations of manifests, with the result of their verification (tables/registry/signatures.ts).
-- `key_uid` and `key_version` are the verification key and its update time: with another one, the result does not count.
CREATE TABLE image_signatures (
  repo TEXT NOT NULL, digest TEXT NOT NULL, position INTEGER NOT NULL, form INTEGER NOT NULL,
  key_uid TEXT NOT NULL, key_version INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL,
  checked INTEGER NOT NULL, PRIMARY KEY (repo, digest, position));

-- The manifests that something is attached to already, by reference or by a tag.
INSERT INTO exposure_work (kind, key, due, sequence, attempts, cursor)
  SELECT 'signatures', repo || ' ' || subject, 1, 1, 0, '' FROM manifests WHERE subject <> ''
  UNION SELECT 'signatures', parent || ' sha256:' || substr(name, 8, 64), 1, 1, 0, '' FROM tags
    WHERE name >= 'sha256-' AND name < 'sha256.' AND length(name) >= 71;
