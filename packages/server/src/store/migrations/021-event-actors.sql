-- What the actor of an event exchanged for its token.
ALTER TABLE events ADD COLUMN act TEXT NOT NULL DEFAULT '';
CREATE INDEX leases_by_expires ON leases (expires);
