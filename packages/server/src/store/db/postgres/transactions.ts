import { randomUUID } from "node:crypto";
import type { Client, DatabaseError } from "pg";
import { CommitOutcomeUnknown, NotCommitted } from "../commit-errors.ts";
import type { Turn } from "../turns.ts";
import { beginBatch, type Marker } from "./batches.ts";
import { wasCommitted } from "./commit-outcome.ts";
import { discard } from "./discard.ts";

/** After this, callers get no answer better than that the outcome is unknown: most wait 30 seconds. */
const OUTCOME_TIMEOUT_MS = 15_000;

/** A ROLLBACK that takes longer is given up, with its connection. */
const ROLLBACK_TIMEOUT_MS = 2_000;

/** The connection that writes, with what is needed to find out about its last commit. */
interface WriteConnection {
  readonly client: Client;
  readonly name: string;
  batches: number;
  isBroken: boolean;
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
  readonly #connect: () => Promise<Client>;
  readonly #outcomeTimeoutMs: number;
  #idle: WriteConnection | undefined;
  #open: OpenTransaction | undefined;

  constructor(connect: () => Promise<Client>, outcomeTimeoutMs = OUTCOME_TIMEOUT_MS) {
    this.#connect = connect;
    this.#outcomeTimeoutMs = outcomeTimeoutMs;
  }

  /** A transaction stays on the connection that began it: if that breaks, the rest must fail too. */
  get client(): Client {
    if (this.#open === undefined) throw new Error("no transaction is open");
    return this.#open.connection.client;
  }

  async begin(turn?: Turn): Promise<void> {
    const connection = await this.#connected();
    const marker =
      turn === undefined ? undefined : { connection: connection.name, batch: ++connection.batches };
    try {
      await connection.client.query(
        turn === undefined || marker === undefined ? "BEGIN" : beginBatch(turn, marker),
      );
    } catch (error) {
      discard(connection.client);
      throw error;
    }
    this.#open = { connection, marker };
  }

  /**
   * Resolves when the transaction is committed. Rejects with `NotCommitted` if it was rolled back with the
   * connection, and with `CommitOutcomeUnknown` if that cannot be found out.
   */
  async commit(): Promise<void> {
    const { connection, marker } = this.#end();
    if (connection.isBroken) throw new NotCommitted(new Error("COMMIT was not sent"));
    let command: string;
    try {
      ({ command } = await connection.client.query("COMMIT"));
    } catch (error) {
      discard(connection.client);
      if (marker === undefined || isAnswer(error)) throw error;
      const committed = await wasCommitted(this.#connect, marker, this.#outcomeTimeoutMs);
      if (committed === true) return;
      throw committed === false ? new NotCommitted(error) : new CommitOutcomeUnknown(error);
    }
    this.#idle = connection;
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, which is not an error.
    if (command !== "COMMIT") throw new Error(`COMMIT was answered with ${command}`);
  }

  async rollback(): Promise<void> {
    const { connection } = this.#end();
    if (connection.isBroken) return discard(connection.client);
    const timer = setTimeout(() => discard(connection.client), ROLLBACK_TIMEOUT_MS);
    try {
      await connection.client.query("ROLLBACK");
      this.#idle = connection;
    } catch (error) {
      discard(connection.client);
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
    if (idle !== undefined && !idle.isBroken) return idle;
    const client = await this.#connect();
    const connection = { client, name: randomUUID(), batches: 0, isBroken: false };
    client.on("error", () => {
      connection.isBroken = true;
    });
    return connection;
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
