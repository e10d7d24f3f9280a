/** Tests of `npm test` with more commands at the same time. */
process.env.WHARF_TEST_LONG = "1";
await import("../auth-cache.test.ts");
