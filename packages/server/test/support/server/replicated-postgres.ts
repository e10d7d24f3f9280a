/** A PostgreSQL host of a cluster with streaming replication, which can crash, freeze and be promoted. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { postgresPrograms, postgresUser } from "./postgres.ts";
import { scratchFolder } from "./scratch-folder.ts";

const SETTINGS = `
listen_addresses = '127.0.0.1'
wal_level = replica
max_wal_senders = 6
wal_keep_size = 256MB
hot_standby = on
synchronous_commit = on
max_connections = 100
dynamic_shared_memory_type = mmap
`;

export class PostgresHost {
  readonly port: number;
  readonly #directory: string;
  readonly #options: { readonly uid?: number; readonly gid?: number; readonly cwd: string };
  #server: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
    this.#directory = scratchFolder("wharf-replication-");
    const user = process.getuid?.() === 0 ? postgresUser() : undefined;
    if (user !== undefined) chownSync(this.#directory, user.uid, user.gid);
    this.#options = { ...user, cwd: this.#directory };
  }

  /** A new cluster, without a standby yet. */
  static async primary(): Promise<PostgresHost> {
    const host = new PostgresHost(await freePort());
    host.#run("initdb", "--username=wharf", "--auth=trust", "--no-sync", "--encoding=UTF8");
    host.#configure(SETTINGS);
    await host.#start();
    return host;
  }

  /** A synchronous standby of a primary, at a port of its own or at that of a former host. */
  static async standbyOf(primary: PostgresHost, port?: number): Promise<PostgresHost> {
    const host = new PostgresHost(port ?? (await freePort()));
    const source = `host=127.0.0.1 port=${primary.port} user=wharf`;
    host.#run("pg_basebackup", `--dbname=${source}`, "-R", "-c", "fast", "-X", "stream");
    await host.#start();
    primary.#configure("synchronous_standby_names = '*'");
    await primary.query("SELECT pg_reload_conf()");
    const state = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await primary.query(state)).length === 0) await sleep(50);
    return host;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Runs a statement in a database. */
  async query(statement: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const connectionString = `postgres://wharf@${this.address}/${database}`;
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  async promote(): Promise<void> {
    this.#configure("synchronous_standby_names = ''");
    await this.query("SELECT pg_reload_conf()");
    await this.query("SELECT pg_promote()");
  }

  /** Ends all processes at once; connections are closed by the operating system. */
  async crash(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const ended = once(server, "exit");
    this.#signal(server, "SIGKILL");
    await ended;
  }

  /** Starts again after a crash, as what it was. */
  async restart(): Promise<void> {
    rmSync(join(this.#data, "postmaster.pid"), { force: true });
    await this.#start();
  }

  /** Stops all processes: connections stay open, and nothing is answered any more. */
  freeze(): void {
    if (this.#server !== undefined) this.#signal(this.#server, "SIGSTOP");
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#directory, "data");
  }

  #run(program: string, ...args: string[]): void {
    const path = join(postgresPrograms(), program);
    execFileSync(path, [...args, `--pgdata=${this.#data}`], { ...this.#options, stdio: "ignore" });
  }

  #configure(settings: string): void {
    appendFileSync(join(this.#data, "postgresql.conf"), `${settings}\n`);
  }

  async #start(): Promise<void> {
    const flags = ["-p", String(this.port), "-c", `unix_socket_directories=${this.#directory}`];
    const program = join(postgresPrograms(), "postgres");
    this.#server = spawn(program, ["-D", this.#data, ...flags], {
      ...this.#options,
      stdio: "ignore",
    });
    const failed = once(this.#server, "exit").then(() => {
      throw new Error("PostgreSQL ended at start");
    });
    failed.catch(() => {});
    const isReady = () => this.query("SELECT 1").catch(() => undefined);
    while ((await Promise.race([isReady(), failed])) === undefined) await sleep(50);
  }

  /** The first process last: it would start others, or tell them to end. */
  #signal({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    const found = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    const children = found
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === pid)
      .map(([child = 0]) => child);
    for (const one of [...children, pid ?? 0]) {
      try {
        process.kill(one, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
  }
}
