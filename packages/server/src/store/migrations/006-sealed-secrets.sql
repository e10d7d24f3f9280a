-- Moves private keys and installation secrets to the table of sealed secrets. Sealing needs the secret key, which SQL
-- does not have: the values are in `unsealed` until the same startup seals them.
-- sqlite:
PRAGMA secure_delete = ON;
CREATE TABLE unsealed (
  owner TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (owner, name));
INSERT INTO unsealed SELECT 'signing-keys', kid, private_jwk FROM signing_keys;
INSERT INTO unsealed SELECT 'registry-keys', kid, private_jwk FROM registry_keys;
INSERT INTO unsealed SELECT name, 'first', value FROM installation
  WHERE name IN ('page-tokens', 'refresh-tokens', 'registry-notifications');
DELETE FROM installation
  WHERE name IN ('page-tokens', 'refresh-tokens', 'registry-notifications');
ALTER TABLE signing_keys DROP COLUMN private_jwk;
ALTER TABLE registry_keys DROP COLUMN private_jwk;
