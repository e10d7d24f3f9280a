-- Since when a manifest has no tag, as retention has noticed it; 0 if it has one.
ALTER TABLE manifests ADD COLUMN untagged INTEGER NOT NULL DEFAULT 0;
CREATE INDEX manifests_untagged ON manifests (repo, digest) WHERE untagged > 0;
