/** PocketBase, whose program is named base in Debian's package. */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../packages/server/test/support/server/free-port.ts";
import { end, watch } from "../children.ts";
import { programOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { installedPackage } from "./install.ts";
import { answering, type Peer, requestPeer, teamAt } from "./peer.ts";

const TEAMS = {
  name: "teams",
  type: "base",
  fields: [
    { name: "name", type: "text" },
    { name: "description", type: "text" },
  ],
  indexes: ["CREATE INDEX teams_name ON teams (name)"],
};

const ACCOUNT = { identity: "admin@example.com", password: randomBytes(16).toString("hex") };

/** Starts one with this many teams. */
export async function startPocketBase(core: number | undefined, count: number): Promise<Peer> {
  const { folder, version } = installedPackage({ name: "pocketbase", suite: "sid" });
  const program = join(folder, "usr/bin/base");
  const port = await freePort();
  await using disposables = new AsyncDisposableStack();
  const scratch = disposables.use(new ScratchData());
  // Programs in temporary directories run in its development mode by default.
  const settings = ["--dir", join(scratch.path, "data"), "--dev=false"];
  const { identity, password } = ACCOUNT;
  execFileSync(program, [...settings, "superuser", "upsert", identity, password]);
  const log = join(scratch.path, "log");
  const file = openSync(log, "w");
  const [command, args] = programOn(core, program, [
    ...settings,
    ...["serve", "--http", `127.0.0.1:${port}`],
  ]);
  const child = spawn(command, args, { stdio: ["ignore", file, file] });
  closeSync(file);
  disposables.defer(() => end(child, "SIGKILL"));
  const ended = watch(child, () => `PocketBase exited:\n${readFileSync(log, "utf8")}`);
  await Promise.race([answering(port, "/api/health"), ended]);
  const login = "/api/collections/_superusers/auth-with-password";
  const { token } = JSON.parse(await requestPeer({ port, token: "" }, login, ACCOUNT));
  const request = (path: string, body?: object) => requestPeer({ port, token }, path, body);
  await request("/api/collections", TEAMS);
  const ids = fill(join(scratch.path, "data/data.db"), count);
  const owned = disposables.move();
  return {
    ...{ version, port, token, ids, request },
    pid: child.pid as number,
    teams: "/api/collections/teams/records",
    listQuery: "perPage=50&sort=name",
    teamOf: (response) => response as Record<string, unknown>,
    pageOf: (response) => {
      const { items, totalItems } = response as { items: unknown[]; totalItems: number };
      return [items.length, totalItems];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Inserts teams without its API, in one transaction, and returns their keys. */
function fill(file: string, count: number): string[] {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA busy_timeout = 10000");
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO teams (id, name, description) VALUES (?, ?, ?)");
  const ids = Array.from({ length: count }, (_, at) => `r${String(at).padStart(14, "0")}`);
  for (const [at, id] of ids.entries()) insert.run(id, ...Object.values(teamAt(at)));
  database.exec("COMMIT");
  database.close();
  return ids;
}
