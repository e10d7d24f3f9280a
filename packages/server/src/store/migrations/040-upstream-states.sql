-- Requests to upstreams, and their synchronization (tables/registry/upstream-states.ts). `synced` is the end of the last
-- synchronization, `due` the time of the next one, `result` its counts as JSON; `rate` is -1 while it is unknown.
CREATE TABLE upstream_states (
  uid TEXT PRIMARY KEY, succeeded INTEGER NOT NULL, failed INTEGER NOT NULL, error TEXT NOT NULL, rate INTEGER NOT NULL,
  due INTEGER NOT NULL, running INTEGER NOT NULL, synced INTEGER NOT NULL, failures INTEGER NOT NULL,
  result TEXT NOT NULL);
CREATE INDEX upstream_states_by_due ON upstream_states (due, uid);
