import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WharfError } from "../src/lib/errors.ts";
import type { Driver } from "../src/store/db/connection.ts";
import type { Timeouts } from "../src/store/db/postgres/timeouts.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { freePort } from "./support/server/free-port.ts";
import { emptyDatabase, session } from "./support/server/postgres.ts";
import { TcpProxy } from "./support/server/tcp-proxy.ts";

/** Silence is noticed soon; a connection may take as long as a busy machine needs. */
const SOON: Partial<Timeouts> = { tickMs: 20, silenceMs: 200, connectMs: 20_000, retryMs: 20 };

async function proxied(t: TestContext, timeouts = SOON) {
  const url = new URL(await emptyDatabase());
  const proxy = await TcpProxy.to(Number(url.port));
  t.after(() => proxy.close());
  url.port = String(proxy.port);
  const driver = await eventually(() => openPostgres(url.href, timeouts));
  t.after(() => driver.close());
  return { proxy, driver };
}

/** Repeats what a busy machine may take too long for. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 50; left > 0; left--) {
    const done = await attempt().catch(() => undefined);
    if (done !== undefined) return done;
    await sleep(100);
  }
  return attempt();
}

/** A driver, and a session of its own with the same database. */
async function withSession(t: TestContext, timeouts: Partial<Timeouts>) {
  const url = await emptyDatabase();
  const driver = await openPostgres(url, timeouts);
  t.after(() => driver.close());
  return { url, driver, other: await session(t, url) };
}

/** A driver, and a session that has locked the table `closed`. */
async function withLockedTable(t: TestContext, timeouts: Partial<Timeouts>) {
  const { driver, other } = await withSession(t, timeouts);
  await other.query("CREATE TABLE closed (id integer); CREATE TABLE open (id integer)");
  await other.query("BEGIN; LOCK TABLE closed IN ACCESS EXCLUSIVE MODE");
  return { driver, other };
}

const isUnavailable = (error: unknown) =>
  error instanceof WharfError && error.code === "UNAVAILABLE";

async function silentServer(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

/** Reads until three connections are open. None is being opened then: that would take as long as a connection may. */
async function openThree({ reader }: Driver): Promise<void> {
  const sql = "SELECT pg_backend_pid() AS pid, pg_sleep(0.05)";
  const pids = new Set<unknown>();
  while (pids.size < 3) {
    pids.clear();
    const rows = await Promise.all([1, 2, 3].map(() => reader.get<{ pid: number }>(sql)));
    for (const row of rows) pids.add(row?.pid);
  }
}

test("connections whose peer is gone are replaced, and reads are repeated", async (t) => {
  // On a busy machine, another connection takes longer than reads usually wait for one.
  const { proxy, driver } = await proxied(t, { ...SOON, waitMs: 60_000 });
  await driver.begin();
  await driver.writer.run("CREATE TABLE kept (id integer)");
  await driver.commit();
  await openThree(driver);
  proxy.loseTargets();
  assert.deepEqual(await driver.reader.all("SELECT * FROM kept"), []);
  const write = async () => {
    await driver.begin();
    await driver.writer.run("INSERT INTO kept VALUES (1)");
    await driver.commit();
  };
  // It is replaced while it is idle, or fails one transaction.
  await write().catch((error) => assert.equal(driver.failureOf(error), "unreachable"));
  await write();
});

/** Without a limit for idle transactions, nothing but Wharf ends those that it left behind. */
const LEFT_BEHIND = { ...SOON, idleInTransactionMs: 0 };

test("the locks of a transaction whose connection was given up are free", async (t) => {
  const { proxy, driver } = await proxied(t, LEFT_BEHIND);
  await driver.begin();
  await driver.writer.run("CREATE TABLE locked (id integer)");
  await driver.writer.run("INSERT INTO locked VALUES (1)");
  await driver.commit();
  await driver.begin();
  await driver.writer.run("UPDATE locked SET id = 2");
  proxy.forgetConnections();
  await assert.rejects(driver.writer.run("UPDATE locked SET id = 3"), isUnavailable);
  await driver.rollback();
  await driver.begin();
  await driver.writer.run("UPDATE locked SET id = 4");
  await driver.commit();
  assert.deepEqual(await driver.reader.all("SELECT id FROM locked"), [{ id: 4 }]);
});

test("the locks of a connection that was given up during a statement are freed after it", async (t) => {
  const { proxy, driver } = await proxied(t, { ...LEFT_BEHIND, rollbackMs: 100 });
  await driver.begin();
  await driver.writer.run("CREATE TABLE locked (id integer)");
  await driver.writer.run("INSERT INTO locked VALUES (1)");
  await driver.commit();
  await driver.begin();
  await driver.writer.run("UPDATE locked SET id = 2");
  const slow = driver.writer.run("SELECT pg_sleep(1)");
  // The statement is on its way before the network fails.
  await eventually(async () => {
    const sql = `SELECT pid FROM pg_stat_activity
      WHERE query = 'SELECT pg_sleep(1)' AND datname = current_database()`;
    return driver.reader.get(sql);
  });
  proxy.forgetConnections();
  await Promise.all([
    assert.rejects(slow, isUnavailable),
    assert.rejects(driver.rollback(), (error) => driver.failureOf(error) === "unreachable"),
  ]);
  await driver.begin();
  await driver.writer.run("UPDATE locked SET id = 4");
  await driver.commit();
  assert.deepEqual(await driver.reader.all("SELECT id FROM locked"), [{ id: 4 }]);
});

test("a slow statement is not taken for a silent peer", async (t) => {
  const { driver } = await proxied(t);
  const slow = "SELECT 1 AS one FROM (SELECT pg_sleep(0.5)) AS slept";
  assert.deepEqual(await driver.reader.get(slow), { one: 1 });
});

test("a database that does not answer fails requests, and closing does not wait for it", async (t) => {
  const { proxy, driver } = await proxied(t, { ...SOON, connectMs: 200 });
  proxy.stall();
  const reads = [1, 2, 3].map(() => driver.reader.get("SELECT 1 AS one"));
  for (const read of await Promise.allSettled(reads)) {
    assert.ok(read.status === "rejected" && isUnavailable(read.reason));
  }
  const isUnreachable = (error: unknown) => driver.failureOf(error) === "unreachable";
  await assert.rejects(driver.begin(), isUnreachable);
  await assert.rejects(driver.reader.get("SELECT 1 AS one"), isUnreachable);
  proxy.heal();
  const one = await eventually(() => driver.reader.get("SELECT 1 AS one"));
  assert.deepEqual(one, { one: 1 });
  proxy.stall();
});

test("a start against a silent host ends with an error that names it", async (t) => {
  const port = await silentServer(t);
  const [one, other] = [`127.0.0.1:${port}`, `127.0.0.1:${await freePort()}`];
  const timeouts = { ...SOON, connectMs: 200, staggerMs: 20 };
  await assert.rejects(openPostgres(`postgres://u:hunter2@${one}/x`, timeouts), {
    message: "no answer within 0.2 s",
  });
  await assert.rejects(openPostgres(`postgres://u:hunter2@${one},${other}/x`, timeouts), {
    message: `${other}: connection refused; ${one}: no answer within 0.2 s`,
  });
});

test("of several hosts, the one that answers is used", async (t) => {
  const url = new URL(await emptyDatabase());
  const silent = await silentServer(t);
  const hosts = `127.0.0.1:${silent},127.0.0.1:${await freePort()},${url.host}`;
  const attrs = "target_session_attrs=read-write";
  for (const several of [
    `postgres://wharf@${hosts}${url.pathname}?${attrs}`,
    `postgres://wharf@${url.pathname}?host=127.0.0.1,127.0.0.1&port=${silent},${url.port}`,
  ]) {
    const driver = await openPostgres(several, { ...SOON, staggerMs: 20 });
    assert.deepEqual(await driver.reader.get("SELECT 1 AS one"), { one: 1 });
    await driver.close();
  }
});

test("a read-only database is not read either, until it can be written again", async (t) => {
  const { url, driver, other } = await withSession(t, SOON);
  const database = new URL(url).pathname.slice(1);
  await other.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await assert.rejects(openPostgres(url, SOON), /^Error: it is read-only; connect to the primary/);
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'wharf'`;
  await other.query(end);
  const isReadOnly = (error: unknown) => driver.failureOf(error) === "read_only";
  await assert.rejects(driver.reader.get("SELECT 1 AS one"), isReadOnly);
  await assert.rejects(driver.begin(), isReadOnly);
  await other.query(`ALTER DATABASE ${database} SET default_transaction_read_only = off`);
  await sleep(100);
  assert.deepEqual(await driver.reader.get("SELECT 1 AS one"), { one: 1 });
  await driver.begin();
  await driver.rollback();
});

test("a write that the database rejects as read-only closes all connections", async (t) => {
  const driver = await openPostgres(await emptyDatabase(), SOON);
  t.after(() => driver.close());
  const process = "SELECT pg_backend_pid() AS pid";
  const before = await driver.reader.get(process);
  await driver.begin();
  await driver.writer.run("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
  await driver.commit();
  await driver.begin();
  const rejected = driver.writer.run("CREATE TABLE rejected (id integer)");
  await assert.rejects(rejected, (error) => driver.failureOf(error) === "read_only");
  await driver.rollback();
  assert.notDeepEqual(await driver.reader.get(process), before);
});

test("statements of a locked table leave connections to the others", async (t) => {
  const timeouts = { ...SOON, waitMs: 60_000, lockMs: 60_000 };
  const { driver, other } = await withLockedTable(t, timeouts);
  const reads = Array.from({ length: 20 }, () => driver.reader.all("SELECT * FROM closed"));
  assert.deepEqual(await driver.reader.all("SELECT * FROM open"), []);
  const write = (table: string) => driver.writer.run(`INSERT INTO ${table} VALUES (1)`);
  for (let attempt = 1; attempt <= 2; attempt++) {
    await driver.begin();
    await assert.rejects(write("closed"), (error) => driver.failureOf(error) === "locked");
    await driver.rollback();
  }
  await driver.begin();
  await write("open");
  await driver.commit();
  await other.query("COMMIT");
  for (const rows of await Promise.all(reads)) assert.deepEqual(rows, []);
  await driver.begin();
  await write("closed");
  await driver.commit();
});

test("writes of a table that is being indexed fail, and reads go on", async (t) => {
  const { driver, other } = await withSession(t, SOON);
  await other.query("CREATE TABLE indexed (id integer)");
  await other.query("BEGIN; CREATE INDEX ON indexed (id)");
  await driver.begin();
  const write = driver.writer.run("INSERT INTO indexed VALUES (1)");
  await assert.rejects(write, (error) => driver.failureOf(error) === "locked");
  await driver.rollback();
  assert.deepEqual(await driver.reader.all("SELECT * FROM indexed"), []);
  await other.query("COMMIT");
});

test("waiting for a connection, or for a lock, has an end", async (t) => {
  const { driver } = await withLockedTable(t, { ...SOON, waitMs: 300, lockMs: 300 });
  const reads = Array.from({ length: 20 }, () => driver.reader.all("SELECT * FROM closed"));
  for (const read of await Promise.allSettled(reads)) {
    assert.ok(read.status === "rejected" && isUnavailable(read.reason));
    assert.match(driver.failureOf(read.reason) ?? "", /^(locked|timeout)$/);
  }
});

test("a closed store opens no connection", async (t) => {
  const { driver, other } = await withSession(t, {});
  await driver.close();
  await assert.rejects(driver.begin(), /the store is closed/);
  const sql = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  // The server notices the end of a connection a little later.
  let { rows } = await other.query(sql);
  while (rows.length > 0) ({ rows } = await other.query(sql));
});
