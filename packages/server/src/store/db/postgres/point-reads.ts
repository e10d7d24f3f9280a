import type { QueryConfig, QueryResult } from "pg";
import type { Connection, SessionLimits } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { isFromServer } from "./failures.ts";
import type { LockedTables } from "./locked-tables.ts";
import type { Queryable } from "./statements.ts";
import type { Ticks } from "./ticks.ts";

/** Reads of one row by its key, as the store writes them. */
const POINT_READ =
  /^SELECT [\w, ]+ FROM \w+ WHERE uid = \?( AND kind = \?)?$|^SELECT version FROM access_version$/;

/** Whether a statement reads one row by its key. */
export function isPointRead(sql: string): boolean {
  return POINT_READ.test(sql);
}

/** SQLSTATEs that another connection may not answer with: lock_not_available, query_canceled, invalid_sql_statement_name. */
const RETRIED: ReadonlySet<string> = new Set(["55P03", "57014", "26000"]);

/** A read whose answer is awaited. */
interface Pending {
  /** Sends it again, on another connection. */
  reroute(): void;
}

/**
 * Reads of single rows share a connection: those of one tick are sent with one write, before earlier ones are answered.
 * None of them takes long, so none waits long for another; if that happens nevertheless, because a table is locked or
 * the peer is silent, all are sent again to the pool. Other reads would make these wait, and have connections of their
 * own.
 */
export class PointReads implements Queryable {
  readonly #connections: Connections;
  readonly #pool: Queryable;
  readonly #locked: LockedTables;
  readonly #limits: SessionLimits;
  readonly #pending = new Set<Pending>();
  #connection: Connection | undefined;
  #isOpening = false;
  #isClosed = false;

  constructor(
    connections: Connections,
    pool: Queryable,
    locked: LockedTables,
    ticks: Ticks,
    { limits, idleMs }: { readonly limits: SessionLimits; readonly idleMs: number },
  ) {
    this.#connections = connections;
    this.#pool = pool;
    this.#locked = locked;
    this.#limits = limits;
    const idleTicks = ticks.count(idleMs);
    ticks.observe(() => {
      if (this.#isStalled) for (const one of [...this.#pending]) one.reroute();
      else if ((this.#connection?.quietTicks ?? 0) > idleTicks) void this.#end();
    });
  }

  query(config: QueryConfig): Promise<QueryResult> {
    const connection = this.#connection;
    if (connection === undefined || connection.closed !== undefined) {
      void this.#open();
      return this.#pool.query(config);
    }
    if (this.#isStalled || this.#locked.blocks(config.text)) return this.#pool.query(config);
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        reroute: () => {
          this.#pending.delete(pending);
          this.#pool.query(config).then(resolve, reject);
        },
      };
      this.#pending.add(pending);
      connection.query(config).then(
        (result) => {
          if (this.#pending.delete(pending)) resolve(result);
        },
        (error: unknown) => {
          if (!this.#pending.has(pending)) return;
          if (mayRetry(error)) return pending.reroute();
          this.#pending.delete(pending);
          reject(error);
        },
      );
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** Whether no answer has come for a whole tick. */
  get #isStalled(): boolean {
    const connection = this.#connection;
    return connection?.isBusy === true && connection.quietTicks > 1;
  }

  async #open(): Promise<void> {
    if (this.#isOpening || this.#isClosed) return;
    this.#isOpening = true;
    try {
      const connection = await this.#connections.open(this.#limits);
      if (this.#isClosed) await connection.end();
      else this.#connection = connection;
    } catch {
      // The pool reports it.
    } finally {
      this.#isOpening = false;
    }
  }

  async #end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.end();
  }
}

/** Whether a read may succeed on another connection: reads have no effect. */
function mayRetry(error: unknown): boolean {
  return !isFromServer(error) || RETRIED.has((error as { code: string }).code);
}
