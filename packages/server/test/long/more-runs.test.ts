/** Tests of `npm test` with several times as many requests, writes, starts and kills. */
process.env.WHARF_TEST_LONG = "1";

for (const name of [
  "access-revocation",
  "advisories-incremental",
  "advisories-replicas",
  "advisories-sources-random",
  "durability",
  "hostile-grpc",
  "hostile-http2",
  "hostile-rest",
  "registry-notices",
  "registry-reconcile",
  "replicas",
  "visible-rows",
])
  await import(`../${name}.test.ts`);
