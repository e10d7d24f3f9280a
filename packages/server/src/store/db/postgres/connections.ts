import { shownHost } from "../../../config/database-url.ts";
import { ConfigError } from "../../../config/settings.ts";
import type { Connection, ConnectionObserver, ServerFacts, SessionLimits } from "./connection.ts";
import { DatabaseUnavailable, isFromServer } from "./failures.ts";
import type { Hosts } from "./hosts.ts";

/**
 * A process of the server whose client is gone keeps its locks until the operating system notices. It is not ended while
 * it works, because a commit must not be interrupted while it waits for a standby, but when it has become idle. Selects
 * those that are still at work.
 */
const TERMINATE = `SELECT pid, started FROM (
    SELECT a.pid, gone.started,
      CASE WHEN a.state LIKE 'idle%' THEN pg_terminate_backend(a.pid) ELSE false END AS ended
    FROM pg_stat_activity a
    JOIN jsonb_to_recordset($1::jsonb) AS gone(pid integer, started text)
      ON a.pid = gone.pid AND a.backend_start::text = gone.started) known
  WHERE NOT ended`;

/** Two connections that share a process of the server, one transaction at a time, have no session of their own. */
const TRANSACTION_POOLING =
  "--database-url leads to a connection pooler in transaction or statement mode, which loses prepared statements and session settings: set pool_mode = session in pgbouncer";

function isSameProcess({ host, facts }: Connection, other: Connection): boolean {
  const { pid, started } = other.facts;
  return host === other.host && started !== "" && facts.pid === pid && facts.started === started;
}

type Orphan = Pick<ServerFacts, "pid" | "started">;

/** Beyond this, the server has to notice by itself. */
const MAX_ORPHANS = 100;

/** All open connections of this replica, which lead to the same primary. */
export class Connections implements ConnectionObserver {
  readonly #hosts: Hosts;
  readonly #open = new Set<Connection>();
  readonly #observers: ((connection: Connection) => void)[] = [];
  /** Server processes of connections that were given up, until they are ended. */
  #orphans: Orphan[] = [];
  #closed: Error | undefined;

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  get all(): ReadonlySet<Connection> {
    return this.#open;
  }

  /** Is notified of every connection that closes, on either side. */
  observe(closed: (connection: Connection) => void): void {
    this.#observers.push(closed);
  }

  /** Opens a connection; if the primary has moved, those to the former one are closed. */
  async open(limits: SessionLimits): Promise<Connection> {
    if (this.#closed) throw this.#closed;
    const connection = await this.#hosts.connect(limits);
    if (this.#closed) {
      connection.destroy(this.#closed);
      throw this.#closed;
    }
    if ([...this.#open].some((one) => isSameProcess(one, connection))) {
      void connection.end();
      throw new ConfigError(TRANSACTION_POOLING);
    }
    this.#open.add(connection);
    connection.observer = this;
    const moved = `the primary is now ${shownHost(connection.host)}`;
    for (const one of this.#open) {
      if (this.#hosts.isOutdated(one)) this.#destroy(one, moved);
    }
    await this.#terminateOrphans(connection);
    return connection;
  }

  /** Gives a connection up without asking the peer. */
  destroy(connection: Connection, reason: string): void {
    this.#addOrphans([connection.facts]);
    this.#destroy(connection, reason);
  }

  /** Gives all connections up, and opens none any more. */
  close(): void {
    this.#closed = new DatabaseUnavailable("the store is closed");
    this.#destroyAll(this.#closed);
  }

  #destroyAll(reason: Error): void {
    for (const connection of [...this.#open]) connection.destroy(reason);
  }

  #destroy(connection: Connection, reason: string): void {
    connection.destroy(new DatabaseUnavailable(reason, "unreachable"));
  }

  closed(connection: Connection): void {
    this.#open.delete(connection);
    for (const observer of this.#observers) observer(connection);
  }

  readOnly(): void {
    this.#destroyAll(new DatabaseUnavailable("the database is read-only", "read_only"));
  }

  async #terminateOrphans(connection: Connection): Promise<void> {
    if (this.#orphans.length === 0) return;
    const gone = this.#orphans;
    this.#orphans = [];
    const values = [JSON.stringify(gone.map(({ pid, started }) => ({ pid, started })))];
    try {
      const { rows } = await connection.query({ text: TERMINATE, values });
      this.#addOrphans(rows);
    } catch (error) {
      // Compatible databases may not know how.
      if (!isFromServer(error)) this.#addOrphans(gone);
    }
  }

  #addOrphans(more: readonly Orphan[]): void {
    this.#orphans = [...this.#orphans, ...more].slice(-MAX_ORPHANS);
  }
}
