import { shownHost } from "../../../config/database-url.ts";
import type { Connection, SessionLimits } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { isFromServer } from "./failures.ts";
import type { LockedTables } from "./locked-tables.ts";
import type { Ticks } from "./ticks.ts";
import type { Timeouts } from "./timeouts.ts";

/** Time beyond the server's timeout after which a statement counts as lost. */
const GRACE_MS = 5_000;

export interface LivenessOptions {
  readonly timeouts: Timeouts;
  readonly limits: SessionLimits;
}

/**
 * State of these connections at the server; a connection without a row is unknown there. Statements that
 * change or rewrite tables may wait for their own strong locks.
 */
const INSPECT = `SELECT a.pid, a.state, min(c.relname) AS locked
  FROM pg_stat_activity a
  LEFT JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'relation' AND NOT l.granted
    AND l.mode IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
  LEFT JOIN pg_class c ON c.oid = l.relation
  WHERE a.pid = ANY($1::int[]) GROUP BY a.pid, a.state`;

/**
 * The tables that writes, and maybe reads, must wait for. A lock that somebody waits for counts, too: later
 * statements queue up behind it.
 */
const LOCKS = `SELECT c.relname AS "table", bool_or(l.mode = 'AccessExclusiveLock') AS "blocksReads"
  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
  WHERE c.relname = ANY($1::text[]) AND l.locktype = 'relation' AND l.mode IN
    ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  GROUP BY c.relname`;

const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_locks
  WHERE locktype = 'relation' AND NOT granted AND pid = ANY($1::int[])`;

/**
 * Finds connections whose peer is gone without a word: a host that lost power, a firewall that forgot the
 * connection. TCP alone takes a quarter of an hour. A query without an answer may just be slow, so a second
 * connection asks the server. Nothing is sent while queries are answered.
 */
export class Liveness {
  readonly #connections: Connections;
  readonly #ticks: Ticks;
  readonly #options: LivenessOptions;
  readonly #locked: LockedTables;
  readonly #silentTicks: number;
  #isChecking = false;
  /** Since the last check. */
  #ticksLocked = 0;

  constructor(
    connections: Connections,
    ticks: Ticks,
    options: LivenessOptions,
    locked: LockedTables,
  ) {
    this.#connections = connections;
    this.#ticks = ticks;
    this.#options = options;
    this.#locked = locked;
    this.#silentTicks = ticks.count(options.timeouts.silenceMs);
    ticks.observe(() => this.#tick());
  }

  #tick(): void {
    let isSuspicious = this.#locked.names.length > 0 && ++this.#ticksLocked >= this.#silentTicks;
    for (const connection of [...this.#connections.all]) {
      connection.quietTicks++;
      if (!connection.isBusy) continue;
      if (connection.quietTicks >= this.#timeoutTicks(connection))
        this.#connections.destroy(connection, `no answer from ${shownHost(connection.host)}`);
      // Again and again while it is silent.
      else if (connection.quietTicks % this.#silentTicks === 0) isSuspicious = true;
    }
    if (!isSuspicious || this.#isChecking) return;
    this.#isChecking = true;
    this.#ticksLocked = 0;
    void this.#check().finally(() => {
      this.#isChecking = false;
    });
  }

  #timeoutTicks({ limits: { statementMs } }: Connection): number {
    return statementMs === 0 ? Number.POSITIVE_INFINITY : this.#ticks.count(statementMs + GRACE_MS);
  }

  async #check(): Promise<void> {
    const before = new Map([...this.#connections.all].map((one) => [one, one.answers]));
    const unanswered = () => [...before.keys()].filter((one) => one.answers === before.get(one));
    let probe: Connection | undefined;
    const cancel = this.#ticks.after(this.#options.timeouts.connectMs, () => {
      if (probe !== undefined) this.#connections.destroy(probe, "no answer");
    });
    try {
      probe = await this.#connections.open(this.#options.limits);
      await this.#inspect(probe, unanswered());
    } catch (error) {
      this.#locked.update(new Map());
      // A server that answers with an error, such as too many connections, is not gone.
      if (isFromServer(error)) return;
      for (const one of unanswered())
        this.#connections.destroy(one, `no answer from ${shownHost(one.host)}`);
    } finally {
      cancel();
      await probe?.end();
    }
  }

  async #inspect(probe: Connection, connections: readonly Connection[]): Promise<void> {
    const pids = [probe, ...connections].map(({ facts }) => facts.pid);
    const { rows } = await probe.query({ text: INSPECT, values: [pids] });
    const seen = new Map<number, ServerProcess>(rows.map((row) => [row.pid, row]));
    // Compatible databases may not show what they do; the limit of queries still holds.
    if (!seen.has(probe.facts.pid)) return;
    const open = connections.filter(({ closed }) => closed === undefined);
    const isSilent = (one: Connection) => one.isBusy && one.quietTicks >= this.#silentTicks;
    const isGone = (one: Connection) => {
      const found = seen.get(one.facts.pid);
      return found === undefined || (isSilent(one) && found.state?.startsWith("idle") === true);
    };
    if (open.some(isGone)) {
      // A failure of one has probably hit all, and idle connections are cheap to replace.
      for (const one of open.filter((one) => isGone(one) || !one.isBusy))
        this.#connections.destroy(one, `${shownHost(one.host)} no longer knows the connection`);
      return;
    }
    const waiting = new Map<Connection, string>();
    for (const one of open.filter(isSilent)) {
      const table = seen.get(one.facts.pid)?.locked;
      if (table) waiting.set(one, table);
    }
    await this.#findLocks(probe, waiting);
  }

  /** Looks for locked tables, and cancels the statements that wait for them. */
  async #findLocks(probe: Connection, waiting: ReadonlyMap<Connection, string>): Promise<void> {
    const tables = [...new Set([...this.#locked.names, ...waiting.values()])];
    if (tables.length === 0) return;
    const { rows } = await probe.query({ text: LOCKS, values: [tables] });
    const found = new Map<string, boolean>(rows.map((row) => [row.table, row.blocksReads]));
    this.#locked.update(found);
    const pids = [...waiting]
      .filter(([, table]) => found.has(table))
      .map(([connection]) => connection.facts.pid);
    if (pids.length > 0) await probe.query({ text: CANCEL, values: [pids] });
  }
}

interface ServerProcess {
  readonly state: string | null;
  /** The table whose lock it is waiting for. */
  readonly locked: string | null;
}
