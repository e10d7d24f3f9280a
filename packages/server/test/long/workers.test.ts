/** Tests of one process, against servers of two: each request over REST reaches another worker than the one before. */
process.env.WHARF_TEST_WORKERS = "2";

for (const name of [
  "access",
  "access-sign-in",
  "access-tokens",
  "hostile-grpc",
  "hostile-http2",
  "hostile-rest",
  "idempotency-keys",
  "idempotency-replicas",
  "keys-rotation",
  "login-sessions",
  "replicas",
  "scim-sessions",
  "spec-groups",
  "v1-groups",
  "long/durability-drain",
  "long/rolling-restart",
])
  await import(`../${name}.test.ts`);

export {};
