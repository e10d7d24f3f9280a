import { setImmediate } from "node:timers/promises";
import type { QueryConfig, QueryResult } from "pg";
import type { Connection, SessionLimits } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { DatabaseUnavailable, isFromServer } from "./failures.ts";
import { type LockedTables, tableLocked } from "./locked-tables.ts";
import type { Queryable } from "./statements.ts";
import type { Ticks } from "./ticks.ts";
import type { Timeouts } from "./timeouts.ts";

export interface ReadConnectionsDeps {
  readonly connections: Connections;
  readonly ticks: Ticks;
  readonly locked: LockedTables;
}

export interface ShortReads {
  /** Statements that prepare a connection. Compatible databases may not know them. */
  readonly settings?: string;
  /** Takes those that cannot be answered soon. */
  readonly others: Queryable;
}

export interface ReadConnectionsOptions {
  /** The number of connections, opened when they are needed. */
  readonly size: number;
  readonly timeouts: Timeouts;
  readonly limits: SessionLimits;
  /** For short reads, which are sent before earlier ones are answered. */
  readonly short?: ShortReads | undefined;
}

/** Runs a statement on a connection. */
type Run = (connection: Connection) => Promise<QueryResult>;

/** SQLSTATEs. */
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";
const INVALID_STATEMENT_NAME = "26000";

/** Errors that a short read may not have on another connection. */
const RETRIED: ReadonlySet<string> = new Set([
  LOCK_NOT_AVAILABLE,
  QUERY_CANCELED,
  INVALID_STATEMENT_NAME,
]);

/** Maximum attempts of a statement; a connection that is still open may be broken, too. */
const MAX_ATTEMPTS = 3;

/**
 * Connections for reads. A read of unknown length has one for itself, because it would delay others. Short reads share
 * them; if one takes long nevertheless, because a table is locked or the peer is silent, its connection is closed, and
 * all reads that wait behind it are sent to the others.
 */
export class ReadConnections implements Queryable {
  readonly #deps: ReadConnectionsDeps;
  readonly #options: ReadConnectionsOptions;
  /** With their reads in progress. The first ones are used first, so that the last ones expire. */
  readonly #open = new Map<Connection, number>();
  #opening = 0;
  readonly #waiting = new Set<PromiseWithResolvers<Connection>>();
  #closed: Error | undefined;

  constructor(deps: ReadConnectionsDeps, options: ReadConnectionsOptions) {
    this.#deps = deps;
    this.#options = options;
    deps.connections.observe((connection) => {
      if (this.#open.delete(connection)) this.#serve();
    });
    const idleTicks = deps.ticks.count(options.timeouts.idleMs);
    deps.ticks.observe(() => {
      for (const [connection, reads] of this.#open) {
        if (reads === 0 && connection.quietTicks > idleTicks) void connection.end();
        // No answer for a whole tick.
        else if (options.short && connection.isBusy && connection.quietTicks > 1)
          deps.connections.destroy(connection, "its answers are late");
      }
    });
  }

  /** Reads that wait for a connection. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Sends a statement; again, if its connection breaks, because reads have no effect. */
  async query(config: QueryConfig, run: Run = (one) => one.query(config)): Promise<QueryResult> {
    const { locked } = this.#deps;
    const { short } = this.#options;
    for (let attempt = 1; ; ) {
      const isBlocked = locked.blocks(config.text);
      const free = isBlocked ? undefined : this.#reserve();
      if (free === undefined && short !== undefined) return short.others.query(config);
      if (isBlocked) await locked.admit(config.text);
      const connection = free ?? (await this.#wait());
      try {
        // Its table may have been found locked while it waited for the connection.
        if (!locked.blocks(config.text)) return await run(connection);
      } catch (error) {
        if (short !== undefined && mayRetry(error)) return short.others.query(config);
        const { code } = error as { code?: string };
        if (code === LOCK_NOT_AVAILABLE) throw tableLocked();
        const isCanceled = code === QUERY_CANCELED && locked.blocks(config.text);
        const isBroken = connection.closed !== undefined && this.#closed === undefined;
        if (attempt++ === MAX_ATTEMPTS || !(isCanceled || isBroken)) throw error;
        // Other connections may have broken at the same time: let their sockets report it.
        await setImmediate();
      } finally {
        this.#release(connection);
      }
    }
  }

  /** Adds an open connection. */
  add(connection: Connection): void {
    if (this.#closed !== undefined) void connection.end();
    else if (connection.closed === undefined) this.#open.set(connection, 0);
    this.#serve();
  }

  /** Waits for reads in progress, but not long. */
  async close(): Promise<void> {
    this.#closed = new DatabaseUnavailable("the store is closed");
    this.#rejectAll(this.#closed);
    await Promise.all([...this.#open.keys()].map((connection) => connection.end()));
  }

  /** The connection with the fewest reads, unless it must be waited for. */
  #reserve(): Connection | undefined {
    let found: Connection | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [connection, reads] of this.#open) {
      if (reads < fewest) [found, fewest] = [connection, reads];
    }
    const isShared = this.#options.short !== undefined;
    if (isShared && fewest > 0) void this.#grow(1);
    if (found === undefined || (fewest > 0 && !isShared)) return undefined;
    this.#open.set(found, fewest + 1);
    return found;
  }

  #release(connection: Connection): void {
    const reads = this.#open.get(connection);
    if (reads !== undefined) this.#open.set(connection, reads - 1);
    this.#serve();
  }

  async #wait(): Promise<Connection> {
    if (this.#closed !== undefined) throw this.#closed;
    const waiting = Promise.withResolvers<Connection>();
    const { waitMs } = this.#options.timeouts;
    const cancel = this.#deps.ticks.after(waitMs, () => {
      this.#waiting.delete(waiting);
      const text = `no connection was free within ${waitMs / 1_000} s`;
      waiting.reject(new DatabaseUnavailable(text, "timeout"));
    });
    this.#waiting.add(waiting);
    this.#serve();
    return waiting.promise.finally(cancel);
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const connection = this.#reserve();
      if (connection === undefined) break;
      this.#waiting.delete(waiting);
      waiting.resolve(connection);
    }
    void this.#grow(this.#waiting.size);
  }

  /** Opens a connection unless so many are being opened. */
  async #grow(needed: number): Promise<void> {
    const { size, limits, short } = this.#options;
    const isFull = this.#open.size + this.#opening >= size;
    if (this.#opening >= needed || isFull || this.#closed !== undefined) return;
    this.#opening++;
    try {
      const connection = await this.#deps.connections.open(limits);
      if (short?.settings !== undefined) await connection.query(short.settings).catch(() => {});
      this.#opening--;
      this.add(connection);
    } catch (error) {
      this.#opening--;
      // With another connection there is hope.
      if (this.#open.size + this.#opening === 0) this.#rejectAll(error);
    }
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** Whether a short read may succeed on another connection. */
function mayRetry(error: unknown): boolean {
  return !isFromServer(error) || RETRIED.has((error as { code: string }).code);
}
