/** The times of `brief-server.ts`: long enough for a push, and short enough for a soak to collect what was pushed. */
export const LEASE_MS = 4_000;
export const SETTLE_MS = 1_500;
