import type { Connection, ServerFacts } from "./connection.ts";
import { DatabaseUnavailable, isFromServer } from "./failures.ts";

/** Session check. The limits are set here, not at the start of the session: pgbouncer rejects them there. */
const CHECK = `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby,
    current_setting('transaction_read_only') = 'on' AS "readOnly",
    set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;

/** The name of a WAL file begins with the timeline, in hexadecimal. Compatible databases may have neither. */
const IDENTITY = `SELECT backend_start::text AS started,
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline
  FROM pg_stat_get_activity(pg_backend_pid())`;

/**
 * Prepares a session, and rejects a server that cannot be written: reads from a standby would be outdated,
 * and so would the access decisions that rest on them.
 */
export async function checkPrimary(connection: Connection): Promise<ServerFacts> {
  const { statementMs, lockMs, idleInTransactionMs } = connection.limits;
  const values = [statementMs, lockMs, idleInTransactionMs].map(String);
  const { pid, standby, readOnly } = (await connection.query({ text: CHECK, values })).rows[0];
  if (standby) throw new DatabaseUnavailable("it is a standby", "standby");
  if (readOnly) {
    const advice = "connect to the primary, and set default_transaction_read_only to off";
    throw new DatabaseUnavailable(`it is read-only; ${advice}`, "read_only");
  }
  try {
    const { rows } = await connection.query({ text: IDENTITY });
    const { started = "", timeline = "0" } = rows[0] ?? {};
    return { pid, started, timeline: Number.parseInt(timeline, 16) };
  } catch (error) {
    if (!isFromServer(error)) throw error;
    return { pid, started: "", timeline: 0 };
  }
}
