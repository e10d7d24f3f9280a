/** Tests of `npm test` with more commands at the same time. */
process.env.WHARF_TEST_LONG = "1";

for (const name of ["auth-cache", "auth-docker"]) await import(`../${name}.test.ts`);
