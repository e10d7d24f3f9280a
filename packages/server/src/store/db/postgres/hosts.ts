import type { Client } from "pg";
import { type DatabaseHost, shownHost } from "../../../config/database-url.ts";
import { checkPrimary } from "./check.ts";
import { Connection, type SessionLimits } from "./connection.ts";
import { DatabaseUnavailable, reasonOf } from "./failures.ts";
import type { Ticks } from "./ticks.ts";
import type { Timeouts } from "./timeouts.ts";

export interface HostsOptions {
  readonly hosts: readonly DatabaseHost[];
  readonly applicationName: string;
  readonly timeouts: Timeouts;
}

/** Opens connections to the one of several hosts that is a primary and can be written. */
export class Hosts {
  readonly #Client: typeof Client;
  readonly #options: HostsOptions;
  readonly #ticks: Ticks;
  /** The last primary is tried first. */
  #last: DatabaseHost | undefined;
  #timeline = 0;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(ClientClass: typeof Client, options: HostsOptions, ticks: Ticks) {
    this.#Client = ClientClass;
    this.#options = options;
    this.#ticks = ticks;
  }

  /** Whether a connection leads to a former primary. */
  isOutdated({ host, facts }: Connection): boolean {
    return host !== this.#last || (facts.timeline !== 0 && facts.timeline < this.#timeline);
  }

  async connect(limits: SessionLimits): Promise<Connection> {
    const failed = this.#failure;
    if (failed !== undefined && performance.now() - failed.at < this.#options.timeouts.retryMs)
      throw failed.error;
    try {
      const connection = await this.#race(limits);
      this.#failure = undefined;
      this.#last = connection.host;
      this.#timeline = Math.max(this.#timeline, connection.facts.timeline);
      return connection;
    } catch (error) {
      this.#failure = { error, at: performance.now() };
      throw error;
    }
  }

  /** The first host that succeeds wins; connections to the others are closed. */
  #race(limits: SessionLimits): Promise<Connection> {
    const { hosts, timeouts } = this.#options;
    const order = [...hosts].sort((a, b) => Number(b === this.#last) - Number(a === this.#last));
    const failures = new Map<DatabaseHost, unknown>();
    return new Promise((resolve, reject) => {
      let isDecided = false;
      let begun = 0;
      const attempt = (host: DatabaseHost) => {
        begun++;
        this.#open(host, limits).then(
          (connection) => {
            if (isDecided) return connection.end();
            isDecided = true;
            resolve(connection);
          },
          (error: unknown) => {
            failures.set(host, error);
            if (failures.size === hosts.length) reject(summary(failures));
            others();
          },
        );
      };
      const others = () => {
        if (!isDecided) for (const host of order.slice(begun)) attempt(host);
      };
      attempt(order[0] as DatabaseHost);
      if (hosts.length > 1) this.#ticks.after(timeouts.staggerMs, others);
    });
  }

  async #open(host: DatabaseHost, limits: SessionLimits): Promise<Connection> {
    const { applicationName, timeouts } = this.#options;
    const connection = new Connection(this.#Client, host, applicationName, limits);
    const text = `no answer within ${timeouts.connectMs / 1_000} s`;
    const silent = new DatabaseUnavailable(text, "unreachable");
    const cancel = this.#ticks.after(timeouts.connectMs, () => connection.destroy(silent));
    try {
      await connection.connect();
      connection.facts = await checkPrimary(connection);
      const { timeline } = connection.facts;
      if (timeline !== 0 && timeline < this.#timeline)
        throw new DatabaseUnavailable(
          `it is a former primary (timeline ${timeline}, current is ${this.#timeline})`,
          "standby",
        );
      return connection;
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    } finally {
      cancel();
    }
  }
}

/** The error of a single host as it is; otherwise one that tells about each host. */
function summary(failures: ReadonlyMap<DatabaseHost, unknown>): unknown {
  const errors = [...failures.values()];
  if (errors.length === 1) return errors[0];
  const causes = errors.map((error) =>
    error instanceof DatabaseUnavailable ? error.failure : "unreachable",
  );
  const answered = causes.find((cause) => cause !== "unreachable");
  const each = [...failures].map(([host, error]) => `${shownHost(host)}: ${reasonOf(error)}`);
  return new DatabaseUnavailable(each.join("; "), answered ?? "unreachable");
}
