/**
 * Tests of one process, against servers of two: each request over REST reaches another worker than the one before. What
 * only concerns one connection, and version 1, which has no state, need no second worker.
 */
process.env.WHARF_TEST_WORKERS = "2";

for (const name of [
  "access",
  "access-sign-in",
  "access-tokens",
  "hostile-rest",
  "idempotency-keys",
  "idempotency-replicas",
  "keys-rotation",
  "login-sessions",
  "replicas",
  "scim-sessions",
  "spec-groups",
  "long/durability-drain",
  "long/rolling-restart",
])
  await import(`../${name}.test.ts`);

export {};
