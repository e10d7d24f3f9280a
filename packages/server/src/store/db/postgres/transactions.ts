import { randomUUID } from "node:crypto";
import type { DatabaseError } from "pg";
import { CommitOutcomeUnknown, CommitRejected } from "../commit/errors.ts";
import type { MutexMode } from "../commit/replica-mutex.ts";
import { beginBatch, type Marker } from "./batches.ts";
import { wasCommitted } from "./commit-outcome.ts";
import type { Connection } from "./connection.ts";
import type { Timeouts } from "./timeouts.ts";

/** Source of connections. */
export interface ConnectionSource {
  open(): Promise<Connection>;
  /** Closes a connection without waiting for the peer, which may be silent. */
  discard(connection: Connection): void;
}

/** The connection that writes, with what is needed to find out about its last commit. */
interface WriteConnection {
  readonly client: Connection;
  readonly name: string;
  batches: number;
}

interface OpenTransaction {
  readonly connection: WriteConnection;
  /** Undefined for a transaction that is no batch. */
  readonly marker: Marker | undefined;
}

/**
 * The transactions of the connection that writes, one after the other. A connection is used again only
 * after its transaction ended without an error; otherwise the next transaction gets a new one.
 */
export class Transactions {
  readonly #source: ConnectionSource;
  readonly #timeouts: Timeouts;
  #idle: WriteConnection | undefined;
  #open: OpenTransaction | undefined;

  constructor(source: ConnectionSource, timeouts: Timeouts) {
    this.#source = source;
    this.#timeouts = timeouts;
  }

  /** A transaction stays on the connection that began it: if that breaks, the rest must fail too. */
  get client(): Connection {
    if (this.#open === undefined) throw new Error("no transaction is open");
    return this.#open.connection.client;
  }

  /** `first` sends the first statements of the transaction, which do not wait for the answer to BEGIN. */
  async begin(mode?: MutexMode, first?: () => Promise<void>, lenient = false): Promise<void> {
    const connection = await this.#connected();
    const marker =
      mode === undefined ? undefined : { connection: connection.name, batch: ++connection.batches };
    const begun = connection.client.query(
      mode === undefined || marker === undefined ? "BEGIN" : beginBatch(mode, marker, lenient),
    );
    this.#open = { connection, marker };
    const [begin, sent] = await Promise.allSettled([begun, first?.()]);
    if (begin.status === "rejected") {
      this.#open = undefined;
      this.#source.discard(connection.client);
      throw begin.reason;
    }
    if (sent.status === "rejected") throw sent.reason;
  }

  /**
   * Resolves when the transaction is committed. Rejects with `CommitRejected` if it was rolled back with the
   * connection, and with `CommitOutcomeUnknown` if that cannot be found out.
   */
  async commit(): Promise<void> {
    const { connection, marker } = this.#end();
    if (connection.client.closed !== undefined)
      throw new CommitRejected(new Error("COMMIT was not sent"));
    let command: string;
    try {
      ({ command } = await connection.client.query("COMMIT"));
    } catch (error) {
      this.#source.discard(connection.client);
      if (marker === undefined || isAnswer(error)) throw error;
      const committed = await wasCommitted(this.#source, marker, this.#timeouts.outcomeMs);
      if (committed === true) return;
      throw committed === false
        ? new CommitRejected(error)
        : new CommitOutcomeUnknown("the connection broke during the commit", error);
    }
    this.#idle = connection;
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, which is not an error.
    if (command !== "COMMIT") throw new Error(`COMMIT was answered with ${command}`);
  }

  async rollback(): Promise<void> {
    const { connection } = this.#end();
    if (connection.client.closed !== undefined) return;
    const { rollbackMs } = this.#timeouts;
    const timer = setTimeout(() => this.#source.discard(connection.client), rollbackMs);
    try {
      await connection.client.query("ROLLBACK");
      this.#idle = connection;
    } catch (error) {
      this.#source.discard(connection.client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#idle?.client.end();
    this.#idle = undefined;
  }

  async #connected(): Promise<WriteConnection> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle !== undefined && idle.client.closed === undefined) return idle;
    return { client: await this.#source.open(), name: randomUUID(), batches: 0 };
  }

  #end(): OpenTransaction {
    const open = this.#open;
    if (open === undefined) throw new Error("no transaction is open");
    this.#open = undefined;
    return open;
  }
}

/** Whether the database itself rejected a COMMIT: it rolled back. Every other error leaves that open. */
function isAnswer(error: unknown): boolean {
  return (error as DatabaseError).severity === "ERROR";
}
