/** Tests of `npm test` with several times as many random documents. */
process.env.WHARF_TEST_LONG = "1";

for (const name of ["osv-exact", "read/hostile", "round-trip"])
  await import(`../../src/${name}.test.ts`);
