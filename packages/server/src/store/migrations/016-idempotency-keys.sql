-- Responses of creates by idempotency key, for a day (tables/idempotency-keys.ts).
CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY, request TEXT NOT NULL, response TEXT NOT NULL,
  expires INTEGER NOT NULL);
CREATE INDEX idempotency_keys_by_expires ON idempotency_keys (expires);
