/** Directus with a collection of teams in SQLite. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { freePort } from "../../packages/server/test/support/server/free-port.ts";
import { end, watch } from "../children.ts";
import { nodeOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { installed } from "./install.ts";
import { answering, type Peer, requestPeer, teamAt } from "./peer.ts";

/** The tables of Directus itself are created by its own command; this one by its API. */
const TEAMS = {
  collection: "teams",
  meta: {},
  schema: {},
  fields: [
    { field: "id", type: "uuid", schema: { is_primary_key: true }, meta: { special: ["uuid"] } },
    { field: "name", type: "string", schema: { is_indexed: true } },
    { field: "description", type: "text", schema: {} },
  ],
};

/** A running Directus. */
export class Directus implements Peer {
  readonly version: string;
  readonly port: number;
  readonly token = randomUUID();
  readonly ids: string[] = [];
  readonly teams = "/items/teams";
  readonly listQuery = "limit=50&sort=name&meta=filter_count";
  readonly #scratch = new ScratchData();
  #child: ChildProcess | undefined;

  private constructor(version: string, port: number) {
    this.version = version;
    this.port = port;
  }

  /** Starts one with this many teams. */
  static async start(core: number | undefined, count: number): Promise<Directus> {
    const folder = installed({
      name: "directus",
      folder: join(import.meta.dirname, "directus"),
      native: ["sqlite3"],
    });
    const program = join(folder, "node_modules/directus");
    const { version } = JSON.parse(readFileSync(join(program, "package.json"), "utf8"));
    const directus = new Directus(version, await freePort());
    try {
      await directus.#launch(join(program, "cli.js"), core);
      await directus.request("/collections", TEAMS);
      directus.#fill(count);
      return directus;
    } catch (error) {
      await directus[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  async #launch(cli: string, core: number | undefined): Promise<void> {
    const cwd = this.#scratch.path;
    const env = { ...process.env, ...this.#settings() };
    await promisify(execFile)(process.execPath, [cli, "bootstrap"], { cwd, env });
    const [command, args] = nodeOn(core, [cli, "start"]);
    const log = join(cwd, "log");
    const file = openSync(log, "w");
    this.#child = spawn(command, args, { cwd, env, stdio: ["ignore", file, file] });
    closeSync(file);
    const ended = watch(this.#child, () => `Directus exited:\n${readFileSync(log, "utf8")}`);
    await Promise.race([answering(this.port, "/server/ping"), ended]);
  }

  #settings(): Record<string, string> {
    return {
      HOST: "127.0.0.1",
      PORT: String(this.port),
      SECRET: randomUUID(),
      DB_CLIENT: "sqlite3",
      DB_FILENAME: this.#database,
      ADMIN_EMAIL: "admin@example.com",
      ADMIN_PASSWORD: randomUUID(),
      ADMIN_TOKEN: this.token,
      LOG_LEVEL: "warn",
      TELEMETRY: "false",
      NODE_ENV: "production",
    };
  }

  get #database(): string {
    return join(this.#scratch.path, "directus.db");
  }

  /** Inserts teams without its API, in one transaction. */
  #fill(count: number): void {
    const database = new DatabaseSync(this.#database);
    database.exec("BEGIN");
    const insert = database.prepare("INSERT INTO teams (id, name, description) VALUES (?, ?, ?)");
    for (let at = 0; at < count; at++) {
      const { name, description } = teamAt(at);
      const id = randomUUID();
      this.ids.push(id);
      insert.run(id, name, description);
    }
    database.exec("COMMIT");
    database.close();
  }

  teamOf(response: unknown): Record<string, unknown> {
    return (response as { data: Record<string, unknown> }).data;
  }

  pageOf(response: unknown): [rows: number, total: number] {
    const { data, meta } = response as { data: unknown[]; meta: { filter_count: number } };
    return [data.length, meta.filter_count];
  }

  request(path: string, body?: object): Promise<string> {
    return requestPeer(this, path, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, "SIGKILL");
    this.#scratch[Symbol.dispose]();
  }
}
