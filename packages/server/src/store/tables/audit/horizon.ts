import { setTimeout as sleep } from "node:timers/promises";
import type { Reader } from "../../db/connection.ts";
import { auditIds } from "./entries.ts";

/** The interval at which running transactions are checked, and the time after which they are not waited for. */
const POLL_MS = 10;
const MAX_WAIT_MS = 5_000;

/**
 * An id up to which all entries are committed or never will be: a reader that has read up to it has missed none.
 * PostgreSQL assigns ids before the commit, so entries of several replicas become visible out of order. A transaction
 * that writes entries locks the table (ROW EXCLUSIVE) before it gets an id: once those that held the lock after an id
 * was visible have ended, nothing can appear below it. Undefined if they do not end soon.
 */
export async function settledAuditId(reader: Reader): Promise<number | undefined> {
  const { last } = await auditIds(reader);
  if (reader.dialect.name === "sqlite") return last;
  const writers = await auditWriters(reader);
  for (let waited = 0; writers.size > 0; waited += POLL_MS) {
    if (waited >= MAX_WAIT_MS) return undefined;
    await sleep(POLL_MS);
    const running = await auditWriters(reader);
    for (const writer of writers) if (!running.has(writer)) writers.delete(writer);
  }
  return last;
}

/** The transactions that write entries now. */
async function auditWriters(reader: Reader): Promise<Set<string>> {
  const rows = await reader.arrays<readonly [string]>(
    `SELECT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'audit'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(([writer]) => writer));
}
