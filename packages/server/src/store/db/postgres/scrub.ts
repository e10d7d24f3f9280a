import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "./statements.ts";

/** Timeout and interval of the wait for open transactions. */
const SCRUB_TIMEOUT_MS = 30_000;
const SCRUB_POLL_MS = 50;

/**
 * Waits until every transaction has ended that could keep VACUUM from removing what is deleted by now:
 * one of this database that can still see it, such as that of a replica that is starting, and one of any
 * database of the cluster that began to write before, because every snapshot reaches back to it.
 */
async function waitForOpenTransactions(database: Queryable): Promise<void> {
  const { rows } = await database.query({
    text: "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next",
  });
  const ended = `SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8
    AND NOT EXISTS (SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND age(backend_xmin) > age($1::xid8::xid)) AS ended`;
  for (let waited = 0; waited < SCRUB_TIMEOUT_MS; waited += SCRUB_POLL_MS) {
    const result = await database.query({ text: ended, values: [rows[0].next] });
    if (result.rows[0].ended) return;
    await sleep(SCRUB_POLL_MS);
  }
}

/** Rewrites tables: a plain VACUUM frees dead rows and leaves their bytes in the pages. */
export async function scrub(database: Queryable, tables: readonly string[]): Promise<void> {
  await waitForOpenTransactions(database);
  for (const table of tables) await database.query({ text: `VACUUM FULL ${table}` });
}
