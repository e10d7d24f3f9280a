/**
 * The advisory locks of PostgreSQL, in one place so that no two have the same number. Those of texts are hashes, far
 * beyond these (`Dialect.lockTexts`).
 */

/** Each transaction of a migration. Versions that migrate in a single transaction hold it for all of it. */
export const MIGRATION_TRANSACTION_LOCK = 7_240_901;

/** Batches: shared as long as no two conflict, then exclusive (commit/replica-mutex.ts). */
export const REPLICA_LOCK = 7_240_902;

/** A whole migration. Writes go on meanwhile. */
export const MIGRATION_LOCK = 7_240_903;
