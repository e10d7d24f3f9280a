import type { QueryConfig, QueryResult } from "pg";
import type { Connection, SessionLimits } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { isFromServer } from "./failures.ts";
import type { LockedTables } from "./locked-tables.ts";
import type { Queryable } from "./statements.ts";
import type { Ticks } from "./ticks.ts";

/** SQLSTATEs that another connection may not answer with: lock_not_available, query_canceled, invalid_sql_statement_name. */
const RETRIED: ReadonlySet<string> = new Set(["55P03", "57014", "26000"]);

/** Reads that are sent together rather than divided between connections. */
const MIN_BATCH_SIZE = 4;

/** A read whose answer is awaited. */
interface Pending {
  readonly config: QueryConfig;
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
}

/** One connection, and its unanswered reads. */
interface Lane {
  connection: Connection | undefined;
  isOpening: boolean;
  readonly pending: Set<Pending>;
}

export interface PipelinedReadsDeps {
  readonly connections: Connections;
  /** For reads that these connections cannot answer soon. */
  readonly pool: Queryable;
  readonly locked: LockedTables;
  readonly ticks: Ticks;
}

export interface PipelinedReadsOptions {
  readonly limits: SessionLimits;
  /** The number of connections. */
  readonly size: number;
  /** Idle connections are closed after this time. */
  readonly idleMs: number;
  /** Statements that prepare a connection. Compatible databases may not know them. */
  readonly settings?: string;
}

/**
 * Short reads share connections: those of one turn of the event loop are sent with one write, before earlier ones are
 * answered. None of them takes long, so none waits long for another; if that happens nevertheless, because a table is
 * locked or the peer is silent, all are sent again to the pool. Other reads would make these wait, and have connections of
 * their own.
 */
export class PipelinedReads implements Queryable {
  readonly #deps: PipelinedReadsDeps;
  readonly #options: PipelinedReadsOptions;
  readonly #lanes: readonly Lane[];
  #queue: Pending[] = [];
  #isClosed = false;

  constructor(deps: PipelinedReadsDeps, options: PipelinedReadsOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lanes = Array.from({ length: options.size }, () => {
      return { connection: undefined, isOpening: false, pending: new Set() };
    });
    const idleTicks = deps.ticks.count(options.idleMs);
    deps.ticks.observe(() => {
      for (const lane of this.#lanes) {
        if (isStalled(lane)) for (const one of [...lane.pending]) this.#reroute(lane, one);
        else if ((lane.connection?.quietTicks ?? 0) > idleTicks) void end(lane);
      }
    });
  }

  query(config: QueryConfig): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ config, resolve, reject });
      if (this.#queue.length === 1) setImmediate(() => this.#sendQueue());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#lanes.map(end));
  }

  #sendQueue(): void {
    const queue = this.#queue;
    this.#queue = [];
    const each = Math.max(MIN_BATCH_SIZE, Math.ceil(queue.length / this.#lanes.length));
    for (let at = 0; at < queue.length; at += each) {
      const lane = this.#freest();
      for (const one of queue.slice(at, at + each)) this.#send(lane, one);
    }
  }

  /** The open connection with the fewest unanswered reads; another one is opened if none is idle. */
  #freest(): Lane | undefined {
    const [first] = this.#lanes
      .filter((lane) => isOpen(lane) && !isStalled(lane))
      .sort((a, b) => a.pending.size - b.pending.size);
    if (first === undefined || first.pending.size > 0) void this.#open();
    return first;
  }

  #send(lane: Lane | undefined, read: Pending): void {
    const { config, resolve, reject } = read;
    const { locked, pool } = this.#deps;
    if (lane?.connection === undefined || locked.blocks(config.text)) {
      pool.query(config).then(resolve, reject);
      return;
    }
    lane.pending.add(read);
    lane.connection.query(config).then(
      (result) => {
        if (lane.pending.delete(read)) resolve(result);
      },
      (error: unknown) => {
        if (!lane.pending.has(read)) return;
        if (mayRetry(error)) return this.#reroute(lane, read);
        lane.pending.delete(read);
        reject(error);
      },
    );
  }

  #reroute(lane: Lane, read: Pending): void {
    lane.pending.delete(read);
    this.#deps.pool.query(read.config).then(read.resolve, read.reject);
  }

  /** Opens the next connection that is missing. */
  async #open(): Promise<void> {
    const lane = this.#lanes.find((one) => !isOpen(one));
    if (lane === undefined || this.#isClosed || this.#lanes.some((one) => one.isOpening)) return;
    lane.isOpening = true;
    const { limits, settings } = this.#options;
    try {
      const connection = await this.#deps.connections.open(limits);
      if (settings !== undefined) await connection.query(settings).catch(() => {});
      if (this.#isClosed) await connection.end();
      else lane.connection = connection;
    } catch {
      // The pool reports it.
    } finally {
      lane.isOpening = false;
    }
  }
}

function isOpen({ connection }: Lane): boolean {
  return connection !== undefined && connection.closed === undefined;
}

/** Whether no answer has come for a whole tick. */
function isStalled({ connection }: Lane): boolean {
  return connection?.isBusy === true && connection.quietTicks > 1;
}

async function end(lane: Lane): Promise<void> {
  const { connection } = lane;
  lane.connection = undefined;
  await connection?.end();
}

/** Whether a read may succeed on another connection: reads have no effect. */
function mayRetry(error: unknown): boolean {
  return !isFromServer(error) || RETRIED.has((error as { code: string }).code);
}
