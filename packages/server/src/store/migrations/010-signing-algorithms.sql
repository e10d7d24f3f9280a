-- Keys of earlier versions are for ES256.
ALTER TABLE signing_keys ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'ES256';
