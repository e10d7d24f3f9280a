import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { newDatabase, newTlsDatabase } from "../../server/test/support/server/postgres.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { Home } from "./support/auth-home.ts";

/** Someone who owns nothing here, where root runs the tests. */
const NOBODY = 65_534;

const home = new Home();
const scratch = scratchFolder("wharf-start-");
test.after(() => home.remove());

/** Starts a server that must not start, and tells what it said in its one line. */
async function refused(code: number, flags: readonly string[], uid?: number): Promise<string> {
  const listen = ["--listen", `127.0.0.1:${await freePort()}`];
  const given = flags.includes("--listen") ? flags : [...listen, ...flags];
  const ended = await home.run(["serve", ...given], uid === undefined ? {} : { uid });
  assert.equal(ended.stdout, "");
  assert.match(ended.stderr, /^wharf: [^\n]+\n$/, "one line, and no stack");
  assert.equal(ended.code, code, ended.stderr);
  return ended.stderr.slice("wharf: ".length, -1);
}

/** A new folder with nothing in it. */
function folder(name: string): string {
  const path = join(scratch, name);
  mkdirSync(path);
  return path;
}

test("a port in use is reported, with what to do", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const { host } = new URL(server.url);
  const data = join(scratch, "second");
  const words =
    "the address is in use; stop the other program, or choose another address with --listen";
  const said = await refused(1, ["--listen", host, "--data", data]);
  assert.ok(said.startsWith(`cannot listen at ${host}: ${words} (`), said);
  const elsewhere = await refused(1, ["--listen", "192.0.2.1:1", "--data", data]);
  assert.match(elsewhere, /^cannot listen at 192\.0\.2\.1:1: not an address of this machine/);
});

test("an unusable data directory is reported, with what to do", async () => {
  const file = join(scratch, "file");
  writeFileSync(file, "");
  const isFile = await refused(1, ["--data", file]);
  assert.match(
    isFile,
    /file cannot be used: it is a file; choose another directory with --data \(/,
  );

  const closed = folder("closed");
  chmodSync(closed, 0o500);
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  const denied = await refused(1, ["--data", join(closed, "data")], uid);
  assert.match(denied, /closed\/data cannot be used: permission denied; choose/);

  const garbage = folder("garbage");
  writeFileSync(join(garbage, "wharf.db"), "this is no database, whatever its name says");
  const noDatabase = await refused(1, ["--data", garbage]);
  assert.match(
    noDatabase,
    /garbage cannot be used: wharf\.db is not a database, or its beginning is damaged; restore/,
  );
});

test("a store of a newer version is not changed", async () => {
  const data = folder("newer");
  const first = new DatabaseSync(join(data, "wharf.db"));
  first.exec("CREATE TABLE migrations (step INTEGER PRIMARY KEY)");
  first.exec("INSERT INTO migrations (step) VALUES (999)");
  first.close();
  const said = await refused(2, ["--data", data]);
  assert.match(
    said,
    /^the store was migrated by a newer version of wharf \(step 999, this version knows \d+\)/,
  );
  const after = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const tables = after.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  after.close();
  assert.deepEqual(
    tables.map(({ name }) => name),
    ["migrations"],
  );
});

test("a missing database or rejected connection is reported without its password", async () => {
  const url = new URL(await newDatabase());
  url.password = "hunter2";
  const { host } = url;
  url.pathname = "/none";
  assert.equal(
    await refused(1, ["--database-url", url.href]),
    `the database at ${host} cannot be used: there is no such database; create it with CREATE DATABASE, or correct --database-url (database "none" does not exist)`,
  );
  const nobody = `postgres://wharf:hunter2@127.0.0.1:${await freePort()}/x`;
  const away = await refused(7, ["--database-url", nobody]);
  assert.equal(away, `the database at ${new URL(nobody).host} cannot be used: connection refused`);
});

test("a certificate of the database that cannot be verified is reported, with what to do", async () => {
  const { url, ca } = await newTlsDatabase();
  const { host } = new URL(url);
  const what = `the database at ${host} cannot be used`;
  const unknown = await refused(1, ["--database-url", `${url}?sslmode=verify-full`]);
  assert.match(unknown, /name the file .* in --database-url: sslrootcert=FILE \(/);
  assert.ok(unknown.startsWith(`${what}: its certificate is not from a known authority`), unknown);
  const missing = `${url}?sslmode=verify-full&sslrootcert=${join(scratch, "none.pem")}`;
  const unreadable = await refused(1, ["--database-url", missing]);
  assert.ok(unreadable.startsWith(`${what}: a file named in --database-url cannot be read`));
  const known = `${url}?sslmode=verify-full&sslrootcert=${ca}`;
  const elsewhere = known.replace("localhost", "127.0.0.1");
  assert.match(await refused(1, ["--database-url", elsewhere]), /certificate is for another host/);
  const checked = await home.run(["admin", "check", "--database-url", known]);
  assert.equal(checked.code, 0, checked.stderr);
});

test("a database that does not answer is reported with its hosts, without the password", async (t) => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume());
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const hosts = [(silent.address() as AddressInfo).port, await freePort()].map(
    (port) => `127.0.0.1:${port}`,
  );
  const url = `postgres://wharf:hunter2@${hosts}/x?connect_timeout=1`;
  const what = `the database at ${hosts.join(", ")} cannot be used`;
  const reasons = `${hosts[1]}: connection refused; ${hosts[0]}: no answer within 1 s`;
  assert.equal(await refused(7, ["--database-url", url]), `${what}: ${reasons}`);
  const checked = await home.run(["admin", "check", "--database-url", url]);
  assert.deepEqual([checked.code, checked.stderr], [7, `wharf: ${what}: ${reasons}\n`]);
  const standby = `postgres://wharf:hunter2@${hosts}/x?target_session_attrs=any`;
  assert.equal(
    await refused(2, ["--database-url", standby]),
    "--database-url has an unsupported target_session_attrs: must be read-write or primary, because a standby answers with outdated access decisions",
  );
});

test("invalid settings are reported", async () => {
  const data = ["--data", join(scratch, "settings")];
  assert.match(await refused(2, ["--prot", "1"]), /^unknown option --prot: see --help/);
  const missing = join(scratch, "missing.pem");
  const tls = ["--tls-cert", missing, "--tls-key", missing];
  assert.match(await refused(2, [...data, ...tls]), /^--tls-cert cannot be read: ENOENT/);
});

test("admin commands do not create a store", async () => {
  const data = join(scratch, "mistyped");
  const { code, stderr, stdout } = await home.run(["admin", "token", "--data", data]);
  assert.deepEqual([code, stdout], [2, ""]);
  const what = `there is no store in ${data}: start the server first, or name its directory with --data`;
  assert.equal(stderr, `wharf: ${what}\n`);
  assert.equal(existsSync(data), false);
});

test("a server that is stopped right after its ready line exits with 0", async () => {
  const listen = ["--listen", `127.0.0.1:${await freePort()}`, "--shutdown-delay", "0"];
  // Tells itself, before another line of its own can run.
  const preload = `data:text/javascript,const { log } = console; console.log = (line) => {
    log(line);
    if (String(line).includes("ready at")) process.kill(process.pid, "SIGTERM");
  };`;
  const env = { NODE_OPTIONS: `--import=${encodeURI(preload)}` };
  const ended = await home.start(["serve", ...listen, "--data", join(scratch, "hasty")], { env })
    .ended;
  assert.match(ended.stdout, /^wharf: ready at /);
  assert.equal(ended.code, 0, ended.stderr);
});
