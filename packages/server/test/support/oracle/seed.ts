/**
 * The seed of everything random in the tests: fixed, so that what fails once fails again. Another
 * can be tried with WHARF_TEST_SEED; fast-check names the one in use when a property does not hold.
 */
export const SEED = Number(process.env.WHARF_TEST_SEED ?? 20_261);

/** Real servers make shrinking slow and rarely smaller, so the first failure is the one shown. */
export const FIXED = { seed: SEED, endOnFailure: true } as const;
