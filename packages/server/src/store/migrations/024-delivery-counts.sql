-- Counts of deliveries over time read this index alone.
CREATE INDEX deliveries_by_subscription_state ON deliveries (subscription, state, time);
