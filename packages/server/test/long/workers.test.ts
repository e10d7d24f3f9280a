/**
 * Tests of one process, against servers of two: each request over REST reaches another worker than the one before.
 * Tests of one connection, as of hostile requests, and version 1, which has no state, need no second worker. Nor do
 * tests of replicas: to the store, each worker is a replica.
 */
process.env.WHARF_TEST_WORKERS = "2";

for (const name of [
  "access",
  "access-sign-in",
  "access-tokens",
  "idempotency-keys",
  "keys-rotation",
  "login-sessions",
  "scim-sessions",
  "spec-groups",
  "long/durability-drain",
  "long/rolling-restart",
])
  await import(`../${name}.test.ts`);

export {};
