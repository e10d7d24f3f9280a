-- The log of events in the order of their commits (tables/events/event-log.ts), leases, and deliveries to
-- subscriptions.
-- On PostgreSQL each event has its transaction, also those that replicas of the previous version write.
-- postgres:
ALTER TABLE events ADD COLUMN tx BIGINT NOT NULL DEFAULT 0;
-- postgres:
ALTER TABLE events ALTER COLUMN tx SET DEFAULT (pg_current_xact_id()::text::bigint);
-- postgres:
CREATE INDEX events_in_order ON events (tx, id);
CREATE INDEX events_by_group ON events (group_uid, id);
CREATE TABLE leases (
  name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL);
CREATE TABLE event_cursors (
  name TEXT PRIMARY KEY, tx INTEGER NOT NULL, id INTEGER NOT NULL);
CREATE TABLE subscription_states (
  uid TEXT PRIMARY KEY, start_tx INTEGER NOT NULL, start_id INTEGER NOT NULL,
  due INTEGER NOT NULL, arrivals INTEGER NOT NULL, failing_since INTEGER NOT NULL,
  last_success INTEGER NOT NULL, last_failure INTEGER NOT NULL,
  paused_until INTEGER NOT NULL);
CREATE INDEX subscription_states_by_due ON subscription_states (due);
CREATE INDEX subscription_states_by_start ON subscription_states (start_tx, start_id);
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY, subscription TEXT NOT NULL, event INTEGER NOT NULL, event_id TEXT NOT NULL,
  type TEXT NOT NULL, subject TEXT NOT NULL, state INTEGER NOT NULL, replay INTEGER NOT NULL,
  time INTEGER NOT NULL, next_at INTEGER NOT NULL, attempts TEXT NOT NULL);
CREATE INDEX deliveries_pending ON deliveries (subscription, id) WHERE state = 0;
CREATE INDEX deliveries_by_subscription ON deliveries (subscription, id);
CREATE INDEX deliveries_by_time ON deliveries (time);
