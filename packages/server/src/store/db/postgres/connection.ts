import { Socket } from "node:net";
import type { Client, QueryConfig, QueryResult } from "pg";
import { type DatabaseHost, shownHost } from "../../../config/database-url.ts";
import { DatabaseUnavailable, READ_ONLY_TRANSACTION } from "./failures.ts";
import type { Queryable } from "./statements.ts";

/** The operating system notices a dead peer of an idle connection after this and ten seconds more. */
const KEEP_ALIVE_MS = 10_000;

/** Timeout of statements in progress and of the goodbye at close. */
const END_MS = 1_500;

/** Limits of a session. 0 is no limit. */
export interface SessionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** Facts that a server reports about itself and a connection to it. */
export interface ServerFacts {
  readonly pid: number;
  /** With the process id, identifies the server process of this connection. */
  readonly started: string;
  /** Grows with every promotion of a standby; 0 if unknown. */
  readonly timeline: number;
}

/** Is notified of what happens to an open connection. */
export interface ConnectionObserver {
  /** It is closed, by either side. */
  closed(connection: Connection): void;
  /** The database rejected a write because it is read-only. */
  readOnly(): void;
}

/** Connection to PostgreSQL, which can be closed without the cooperation of the peer. */
export class Connection implements Queryable {
  readonly host: DatabaseHost;
  readonly limits: SessionLimits;
  facts: ServerFacts = { pid: 0, started: "", timeline: 0 };
  /** The number of ticks since a query was sent or answered. */
  quietTicks = 0;
  /** The number of answers so far. */
  answers = 0;
  /** Why it is closed. */
  closed: Error | undefined;
  observer: ConnectionObserver | undefined;
  readonly #client: Client;
  readonly #socket: Socket;
  #unanswered = 0;
  #isCorked = false;

  constructor(
    ClientClass: typeof Client,
    host: DatabaseHost,
    applicationName: string,
    limits: SessionLimits,
  ) {
    this.host = host;
    this.limits = limits;
    const socket = new Socket();
    this.#socket = socket;
    this.#client = new ClientClass({
      connectionString: host.url,
      application_name: applicationName,
      keepAlive: true,
      pipeline: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => socket,
    });
    // Errors of queries reject these; without a listener, those of an idle connection end the process.
    this.#client.on("error", (error) => this.#close(error));
    this.#client.on("end", () => this.#close(new Error("Connection terminated")));
  }

  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  async connect(): Promise<void> {
    await this.#client.connect();
  }

  async query(statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    if (this.closed !== undefined) throw this.closed;
    if (this.#unanswered++ === 0) this.quietTicks = 0;
    this.#cork();
    try {
      return await this.#client.query(statement, values);
    } catch (error) {
      const { code, severity } = error as { code?: string; severity?: string };
      if (code === READ_ONLY_TRANSACTION) this.observer?.readOnly();
      // The server closes the connection after such an error.
      if (severity === "FATAL" || severity === "PANIC") this.destroy(error as Error);
      throw error;
    } finally {
      this.#unanswered--;
      this.answers++;
      this.quietTicks = 0;
    }
  }

  /** Sends all that is queried within one iteration of the event loop with one write. */
  #cork(): void {
    if (this.#isCorked) return;
    // The socket, or the TLS connection over it.
    const { stream } = (this.#client as unknown as { connection: { stream: Socket } }).connection;
    this.#isCorked = true;
    stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** Closes it at once; queries in progress fail with the reason. */
  destroy(reason: Error): void {
    this.#socket.destroy(reason);
    this.#close(reason);
  }

  /** Says goodbye after the statements in progress, and does not wait long for the peer. */
  async end(): Promise<void> {
    if (this.closed !== undefined) return;
    const reason = new DatabaseUnavailable("the connection was closed");
    this.#close(reason);
    const timer = setTimeout(() => this.#socket.destroy(reason), END_MS);
    await this.#client.end().catch(() => {});
    clearTimeout(timer);
  }

  #close(reason: Error): void {
    if (this.closed !== undefined) return;
    this.closed = new DatabaseUnavailable(
      `the connection to ${shownHost(this.host)} is closed: ${reason.message}`,
      reason instanceof DatabaseUnavailable ? reason.failure : "unreachable",
    );
    this.observer?.closed(this);
  }
}
