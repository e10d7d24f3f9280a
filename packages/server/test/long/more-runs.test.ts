/** Tests of `npm test` with several times as many requests, writes, starts and kills. */
process.env.WHARF_TEST_LONG = "1";

for (const name of [
  "access-decisions",
  "access-revocation",
  "advisories-incremental",
  "advisories-replicas",
  "advisories-sources-random",
  "audit-search",
  "binding-grants",
  "hostile-grpc",
  "hostile-http2",
  "hostile-rest",
  "registry-contents",
  "registry-notices",
  "registry-reconcile",
  "replicas",
  "spec-advisory-filters",
  "store-postgres-batches",
])
  await import(`../${name}.test.ts`);
await import("../../src/lib/pattern/program.test.ts");
