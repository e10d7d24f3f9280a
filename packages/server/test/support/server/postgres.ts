/** PostgreSQL for tests: one server, many databases. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openPostgres } from "../../../src/store/db/postgres.ts";
import { freePort } from "./free-port.ts";
import { rawQuery } from "./raw-queries.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { fillTemplate } from "./store-template.ts";

/** The variable in which a run of many test files passes the port and the folder of the PostgreSQL that they share. */
const SHARED = "WHARF_TEST_POSTGRES";

/** A running PostgreSQL. */
interface Cluster {
  readonly port: number;
  /** The folder of its socket. */
  readonly folder: string;
}

/** A database as a new server would fill it: a copy of its files is much faster to make. */
const TEMPLATE = "wharf_template";

let cluster: Promise<Cluster> | undefined;

let durable: Promise<Cluster> | undefined;

/** Starts a PostgreSQL for all the processes that this one starts from now on. */
export async function sharePostgres(): Promise<void> {
  const { port, folder } = await startCluster();
  process.env[SHARED] = `${port} ${folder}`;
}

const COPIED = `TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`;

/** A new database in a real PostgreSQL, with the tables and the built-in roles of the current version. */
export function newDatabase(): Promise<string> {
  return createDatabase(COPIED);
}

/** The same, reached by a Unix socket: TCP takes more time than many statements do. */
export async function newLocalDatabase(): Promise<string> {
  const { port, folder } = await usualCluster();
  const { pathname } = new URL(await newDatabase());
  return `postgres://wharf@${pathname}?host=${encodeURIComponent(folder)}&port=${port}`;
}

/** A new database in a PostgreSQL of its own that flushes each commit to the disk, as installations do: for measurements. */
export async function newDurableDatabase(): Promise<string> {
  durable ??= startCluster({ fsync: "on", full_page_writes: "on", autovacuum: "on" });
  return createIn((await durable).port, COPIED);
}

/**
 * The URL of a new PostgreSQL that accepts TLS as `localhost`, with a certificate from an authority of its own, and
 * the file with the certificate of that authority.
 */
export async function newTlsDatabase(): Promise<{ readonly url: string; readonly ca: string }> {
  const folder = scratchFolder("wharf-pg-tls-");
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const request = ["req", "-newkey", "rsa:2048", "-nodes"];
  openssl(...request, "-x509", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem");
  openssl(...request, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem");
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost");
  const issued = ["-CAcreateserial", "-extfile", "names", "-out", "cert.pem"];
  openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", ...issued);
  const [cert, key, ca] = ["cert.pem", "key.pem", "ca.pem"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, postgresUser().uid, postgresUser().gid);
  const { port } = await startCluster({ ssl: "on", ssl_cert_file: cert, ssl_key_file: key });
  return { url: `postgres://wharf@localhost:${port}/${TEMPLATE}`, ca };
}

/** A new database without tables: for tests of how these are created and upgraded. */
export function emptyDatabase(): Promise<string> {
  return createDatabase("");
}

/** A session of a database that is not Wharf's, for one test. */
export async function session(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  return client;
}

async function createDatabase(options: string): Promise<string> {
  return createIn((await usualCluster()).port, options);
}

/** The shared PostgreSQL, or one that is started on first use. */
function usualCluster(): Promise<Cluster> {
  const [port, folder = ""] = process.env[SHARED]?.split(" ") ?? [];
  cluster ??= port ? Promise.resolve({ port: Number(port), folder }) : startCluster();
  return cluster;
}

async function createIn(port: number, options: string): Promise<string> {
  // Process ids recur within a run, so names are random.
  const name = `wharf_${randomBytes(8).toString("hex")}`;
  await rawQuery(urlOf(port, "postgres"), `CREATE DATABASE ${name} ${options}`);
  return urlOf(port, name);
}

function urlOf(port: number, database: string): string {
  return `postgres://wharf@127.0.0.1:${port}/${database}`;
}

async function createTemplate(port: number): Promise<void> {
  await rawQuery(urlOf(port, "postgres"), `CREATE DATABASE ${TEMPLATE}`);
  await fillTemplate(await openPostgres(urlOf(port, TEMPLATE)));
}

/** Starts one that is thrown away with this process. */
async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = postgresPrograms();
  const directory = scratchFolder("wharf-pg-");
  // PostgreSQL refuses to run as root, so root hands it to the user that its package made.
  const user = process.getuid?.() === 0 ? postgresUser() : undefined;
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const options = { ...user, cwd: directory, stdio: "ignore" } as const;
  const data = join(directory, "data");
  const initial = [
    "--username=wharf",
    "--auth=trust",
    "--no-sync",
    "--encoding=UTF8",
    "--locale=C",
  ];
  execFileSync(join(bin, "initdb"), [`--pgdata=${data}`, ...initial], options);
  const port = await freePort();
  // Nobody misses what is lost with the machine, and nothing lives long enough to be cleaned up.
  const chosen = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory,
    max_connections: 300,
    fsync: "off",
    full_page_writes: "off",
    wal_level: "minimal",
    max_wal_senders: 0,
    autovacuum: "off",
    // Within the data folder, which is removed: a killed server leaves POSIX segments behind.
    dynamic_shared_memory_type: "mmap",
    ...settings,
  };
  const flags = Object.entries(chosen).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...flags], options);
  process.on("exit", () => {
    server.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  server.unref();
  await untilReady(port, server);
  await createTemplate(port);
  return { port, folder: directory };
}

/** The directory of the programs of the newest PostgreSQL. */
export function postgresPrograms(): string {
  const versions = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  return `/usr/lib/postgresql/${versions[0]}/bin`;
}

export function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function untilReady(port: number, server: ChildProcess): Promise<void> {
  const ended = once(server, "exit").then(() => {
    throw new Error("PostgreSQL ended at start");
  });
  ended.catch(() => {});
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const client = new pg.Client({ connectionString: urlOf(port, "postgres") });
    try {
      await Promise.race([client.connect(), ended]);
      await client.end();
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error("PostgreSQL did not start");
}
