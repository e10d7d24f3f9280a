import { setImmediate } from "node:timers/promises";
import type { QueryConfig, QueryResult } from "pg";
import type { Connection, SessionLimits } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { DatabaseUnavailable } from "./failures.ts";
import { type LockedTables, tableLocked } from "./locked-tables.ts";
import type { Queryable } from "./statements.ts";
import type { Ticks } from "./ticks.ts";

export interface ReadPoolOptions {
  readonly size: number;
  /** How long a read may wait for a connection. */
  readonly waitMs: number;
  /** Idle connections are closed after this time. */
  readonly idleMs: number;
  /** How long reads may take after the pool was closed. */
  readonly closeMs: number;
  readonly limits: SessionLimits;
}

/** How a statement is ended before it has a result. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Asks the server to end the statement of a connection; resolves when it has been asked. */
  cancel(connection: Connection): Promise<void>;
}

interface Waiting {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

/** SQLSTATEs. */
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";

/** How often a statement is sent; a connection that is still open may be broken, too. */
const MAX_ATTEMPTS = 3;

/** Connections for reads, opened when they are needed. */
export class ReadPool implements Queryable {
  readonly #connections: Connections;
  readonly #ticks: Ticks;
  readonly #options: ReadPoolOptions;
  readonly #locked: LockedTables;
  /** The last one is used first, so that the others expire when there is little to do. */
  #idle: Connection[] = [];
  readonly #running = new Set<Connection>();
  #connecting = 0;
  readonly #waiting = new Set<Waiting>();
  #closed: (() => void) | undefined;

  /** Statements that wait for a connection. */
  get waiting(): number {
    return this.#waiting.size;
  }

  constructor(
    connections: Connections,
    ticks: Ticks,
    locked: LockedTables,
    options: ReadPoolOptions,
  ) {
    this.#connections = connections;
    this.#ticks = ticks;
    this.#options = options;
    this.#locked = locked;
    connections.observe((connection) => {
      this.#idle = this.#idle.filter((one) => one !== connection);
      this.#grow();
    });
    const idleTicks = ticks.count(options.idleMs);
    ticks.observe(() => {
      for (const one of this.#idle.filter(({ quietTicks }) => quietTicks > idleTicks)) {
        this.#idle = this.#idle.filter((other) => other !== one);
        void one.end();
      }
    });
  }

  /** Runs a statement; again, if its connection breaks, because reads have no effect. */
  query(config: QueryConfig): Promise<QueryResult> {
    return this.#query(config);
  }

  /** The same for statements that can be interrupted. */
  interruptible(interruption: Interruption): Queryable["query"] {
    return (config) => this.#query(config, interruption);
  }

  async #query(config: QueryConfig, interruption?: Interruption): Promise<QueryResult> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#connectionFor(config.text);
      try {
        return await this.#run(connection, config, interruption);
      } catch (error) {
        interruption?.signal.throwIfAborted();
        const { code } = error as { code?: string };
        if (code === LOCK_NOT_AVAILABLE) throw tableLocked();
        const isCanceled = code === QUERY_CANCELED && this.#locked.blocks(config.text);
        const isBroken = connection.closed !== undefined && this.#closed === undefined;
        if (attempt === MAX_ATTEMPTS || !(isCanceled || isBroken)) throw error;
        // Other connections may have broken at the same time: let their sockets report it.
        await setImmediate();
      }
    }
  }

  /** Gives a connection to the first that waits for one. */
  offer(connection: Connection): void {
    const [first] = this.#waiting;
    if (this.#closed !== undefined) {
      if (this.#running.size === 0) this.#closed();
      void connection.end();
    } else if (connection.closed !== undefined) {
      this.#grow();
    } else if (first === undefined) {
      this.#idle.push(connection);
    } else {
      this.#waiting.delete(first);
      // From here on it counts as running, or others would take its place.
      this.#running.add(connection);
      first.resolve(connection);
    }
  }

  /** Waits for reads in progress, but not long. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#rejectAll(new DatabaseUnavailable("the store is closed"));
    if (this.#running.size > 0) {
      const timer = setTimeout(() => this.#closed?.(), this.#options.closeMs);
      await closed;
      clearTimeout(timer);
    }
    const reason = new DatabaseUnavailable("the store is closed");
    for (const connection of this.#running) connection.destroy(reason);
    await Promise.all(this.#idle.map((connection) => connection.end()));
  }

  /** A connection that counts as running. */
  async #connectionFor(sql: string): Promise<Connection> {
    for (;;) {
      if (this.#locked.blocks(sql)) await this.#locked.admit(sql);
      const idle = this.#idle.pop();
      if (idle !== undefined) this.#running.add(idle);
      const connection = idle ?? (await this.#acquire());
      // Its table may have been found locked while it waited for the connection.
      if (!this.#locked.blocks(sql)) return connection;
      this.#running.delete(connection);
      this.offer(connection);
    }
  }

  async #run(
    connection: Connection,
    config: QueryConfig,
    interruption: Interruption | undefined,
  ): Promise<QueryResult> {
    let canceled: Promise<void> | undefined;
    const cancel = () => {
      canceled = interruption?.cancel(connection);
    };
    try {
      interruption?.signal.throwIfAborted();
      interruption?.signal.addEventListener("abort", cancel);
      return await connection.query(config);
    } finally {
      interruption?.signal.removeEventListener("abort", cancel);
      // A late request to cancel would hit the next statement of the connection.
      await canceled;
      this.#running.delete(connection);
      this.offer(connection);
    }
  }

  #acquire(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new DatabaseUnavailable("the store is closed"));
      const cancel = this.#ticks.after(this.#options.waitMs, () => {
        this.#waiting.delete(waiting);
        const seconds = this.#options.waitMs / 1_000;
        reject(new DatabaseUnavailable(`no connection was free within ${seconds} s`, "timeout"));
      });
      const waiting: Waiting = {
        resolve(connection) {
          cancel();
          resolve(connection);
        },
        reject(error) {
          cancel();
          reject(error);
        },
      };
      this.#waiting.add(waiting);
      this.#grow();
    });
  }

  /** Opens a connection if somebody waits for one. */
  #grow(): void {
    const { size, limits } = this.#options;
    const used = this.#idle.length + this.#running.size + this.#connecting;
    if (this.#waiting.size <= this.#connecting || used >= size) return;
    this.#connecting++;
    this.#connections.open(limits).then(
      (connection) => {
        this.#connecting--;
        this.offer(connection);
      },
      (error: unknown) => {
        this.#connecting--;
        // With another connection there is hope.
        if (this.#running.size + this.#idle.length + this.#connecting === 0) this.#rejectAll(error);
      },
    );
  }

  #rejectAll(error: unknown): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
