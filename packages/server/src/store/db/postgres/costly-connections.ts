import { type CostlyLane, runStatement, type Statement } from "../connection.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import type { ReadPool } from "./read-pool.ts";
import { PostgresReader } from "./statements.ts";
import type { Ticks } from "./ticks.ts";

/** Costly statements that run at the same time. */
export const COSTLY_CONNECTIONS = 4;

/** Sorted lists of any length are among them, most of which are short: callers may send many at a time. */
const MAX_QUEUED_PER_SHARE = 1_000;

const CANCEL = "SELECT pg_cancel_backend($1)";

/** How long a canceled statement may go on: compatible databases may not cancel. */
const CANCEL_MS = 2_000;

export interface CostlyConnectionsDeps {
  readonly connections: Connections;
  /** The connections of costly statements. */
  readonly costly: ReadPool;
  /** Those of all others. */
  readonly others: ReadPool;
  readonly ticks: Ticks;
}

/**
 * Runs costly statements of PostgreSQL on connections of their own, so that other reads never wait for one. When the
 * request ends, the server is asked to cancel the statement.
 */
export class CostlyConnections implements CostlyLane {
  readonly concurrency = COSTLY_CONNECTIONS;
  readonly maxQueuedPerShare = MAX_QUEUED_PER_SHARE;
  readonly #deps: CostlyConnectionsDeps;

  constructor(deps: CostlyConnectionsDeps) {
    this.#deps = deps;
  }

  async run(statement: Statement, signal: AbortSignal): Promise<unknown> {
    const cancel = (connection: Connection) => this.#cancel(connection);
    const { costly } = this.#deps;
    const target = { query: costly.interruptible({ signal, cancel }) };
    try {
      return await runStatement(new PostgresReader(() => target), statement);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async #cancel(connection: Connection): Promise<void> {
    const { connections, others, ticks } = this.#deps;
    const { answers } = connection;
    ticks.after(CANCEL_MS, () => {
      if (connection.answers === answers)
        connections.destroy(connection, "its statement could not be canceled");
    });
    await others.query({ text: CANCEL, values: [connection.facts.pid] }).catch(() => {});
  }
}
