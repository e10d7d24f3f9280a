import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "./statements.ts";

/** How long, and at which interval, to wait for open transactions. */
const SCRUB_TIMEOUT_MS = 30_000;
const SCRUB_POLL_MS = 50;

/**
 * Waits until all currently open transactions have ended: VACUUM keeps rows that one of them can still see,
 * such as that of a replica that is starting.
 */
async function waitForOpenTransactions(database: Queryable): Promise<void> {
  // As text: a Date has no microseconds.
  const { rows } = await database.query({
    text: "SELECT clock_timestamp()::text AS now",
  });
  const open = `SELECT count(*)::int AS open FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start <= $1::timestamptz`;
  for (let waited = 0; waited < SCRUB_TIMEOUT_MS; waited += SCRUB_POLL_MS) {
    const result = await database.query({ text: open, values: [rows[0].now] });
    if (result.rows[0].open === 0) return;
    await sleep(SCRUB_POLL_MS);
  }
}

/** Rewrites tables: a plain VACUUM frees dead rows and leaves their bytes in the pages. */
export async function scrub(database: Queryable, tables: readonly string[]): Promise<void> {
  await waitForOpenTransactions(database);
  for (const table of tables) await database.query({ text: `VACUUM FULL ${table}` });
}
