-- Entries by root and time (tables/audit/search.ts), instead of by time alone. Counting reads nothing else on SQLite;
-- rows of an index of PostgreSQL have a maximum size, which uids of denied requests can exceed.
DROP INDEX IF EXISTS audit_by_time;
-- sqlite:
CREATE INDEX audit_by_root ON audit (substr(resource, 1, 41), time, code, via, method, actor, remote_address, session,
  request_id, resource);
-- postgres:
CREATE INDEX audit_by_root ON audit (substr(resource, 1, 41), time);
