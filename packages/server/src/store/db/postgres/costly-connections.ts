import type { QueryConfig, QueryResult } from "pg";
import { type CostlyLane, runStatement, type Statement } from "../connection.ts";
import type { Connection } from "./connection.ts";
import type { ReadConnections, ReadConnectionsDeps } from "./read-connections.ts";
import { PostgresReader } from "./statements.ts";

/** Costly statements that run at the same time. */
export const COSTLY_CONNECTIONS = 4;

/** Sorted lists of any length are among them, most of which are short: callers may send many at a time. */
const MAX_QUEUED_PER_SHARE = 1_000;

const CANCEL = "SELECT pg_cancel_backend($1)";

/** Grace period of a canceled statement: compatible databases may not cancel. */
const CANCEL_MS = 2_000;

/**
 * Runs costly statements of PostgreSQL on connections of their own, so that other reads never wait for one. When the
 * request ends, the server is asked to cancel the statement.
 */
export class CostlyConnections implements CostlyLane {
  readonly concurrency = COSTLY_CONNECTIONS;
  readonly maxQueuedPerShare = MAX_QUEUED_PER_SHARE;
  readonly #deps: ReadConnectionsDeps;
  readonly #costly: ReadConnections;
  readonly #others: ReadConnections;

  constructor(deps: ReadConnectionsDeps, costly: ReadConnections, others: ReadConnections) {
    this.#deps = deps;
    this.#costly = costly;
    this.#others = others;
  }

  async run(statement: Statement, signal: AbortSignal): Promise<unknown> {
    const query = (config: QueryConfig) =>
      this.#costly.query(config, (connection) => this.#interruptible(connection, config, signal));
    try {
      return await runStatement(new PostgresReader(() => ({ query })), statement);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async #interruptible(
    connection: Connection,
    config: QueryConfig,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    signal.throwIfAborted();
    let canceled: Promise<void> | undefined;
    const cancel = () => {
      canceled = this.#cancel(connection);
    };
    signal.addEventListener("abort", cancel);
    try {
      return await connection.query(config);
    } finally {
      signal.removeEventListener("abort", cancel);
      // A late request to cancel would hit the next statement of the connection.
      await canceled;
    }
  }

  async #cancel(connection: Connection): Promise<void> {
    const { connections, ticks } = this.#deps;
    const { answers } = connection;
    ticks.after(CANCEL_MS, () => {
      if (connection.answers === answers)
        connections.destroy(connection, "its statement could not be canceled");
    });
    await this.#others.query({ text: CANCEL, values: [connection.facts.pid] }).catch(() => {});
  }
}
