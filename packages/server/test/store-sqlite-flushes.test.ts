import assert from "node:assert/strict";
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { operatorToken } from "../src/app/admin.ts";
import { startServer } from "../src/app/server.ts";
import { openSqlite, type SqliteOptions } from "../src/store/db/sqlite.ts";
import { Store } from "../src/store/db/store.ts";
import { Http } from "./support/client/http.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { until } from "./support/until.ts";

/** Flushes that wait until the test lets them end, with its result. */
class Disk {
  readonly waiting: PromiseWithResolvers<void>[] = [];
  isHeld = false;
  ended = 0;

  readonly flush = async (): Promise<void> => {
    if (this.isHeld) {
      const held = Promise.withResolvers<void>();
      this.waiting.push(held);
      await held.promise;
    }
    this.ended++;
  };

  /** Ends the flush that waits longest, with an error of the system if there is one. */
  end(code?: string): void {
    const held = this.waiting.shift();
    if (code === undefined) held?.resolve();
    else held?.reject(Object.assign(new Error(code), { code }));
  }
}

/** The place of the number of pages in the WAL index. */
const PAGES_AT = 16;

interface Site {
  readonly path: string;
  readonly store: Store;
  readonly failures: string[];
  put(name: string): Promise<unknown>;
  /** The names that are visible. */
  names(): Promise<string[]>;
  /** The length of the write-ahead log. */
  pages(): number;
  close(): Promise<void>;
}

async function openSite(t: TestContext, options: SqliteOptions): Promise<Site> {
  const folder = scratchFolder("wharf-flushes-");
  const path = join(folder, "wharf.db");
  const store = await Store.open(openSqlite(path, options), [], { committed() {} });
  const failures: string[] = [];
  store.health.observe({ failed: ({ cause }) => failures.push(cause), recovered() {} });
  const index = openSync(`${path}-shm`, "r");
  let isClosed = false;
  t.after(async () => {
    if (!isClosed) await store.close();
    // Not before: a process that closes this file loses the locks of SQLite.
    closeSync(index);
    rmSync(folder, { recursive: true });
  });
  const insert = "INSERT INTO installation (name, value) VALUES (?, ?)";
  const select = "SELECT name FROM installation ORDER BY name";
  return {
    path,
    store,
    failures,
    put: (name) => store.write((tx) => tx.run(insert, name, "x".repeat(4_000))),
    names: async () => (await store.reader.all<{ name: string }>(select)).map(({ name }) => name),
    pages: () => {
      const number = new Uint32Array(1);
      readSync(index, number, 0, number.byteLength, PAGES_AT);
      return number[0] ?? 0;
    },
    close() {
      isClosed = true;
      return store.close();
    },
  };
}

test("the server answers while a flush takes long, and the write after its flush", async (t) => {
  const data = scratchFolder("wharf-flushes-");
  const disk = new Disk();
  const settings = await testSettings([
    ...["--listen", "127.0.0.1:0", "--log-level", "silent", "--data", data],
  ]);
  const server = await startServer(settings, {
    open: async (_settings, tables, timings) =>
      Store.open(openSqlite(join(data, "wharf.db"), disk), tables, timings),
  });
  t.after(async () => {
    await server.stop();
    rmSync(data, { recursive: true });
  });
  const operator = new Http(server.url, await operatorToken(settings));
  const { uid } = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body;
  disk.isHeld = true;
  let isAnswered = false;
  const renamed = operator.patch(`/iam/v2beta1/groups/${uid}`, { description: "new" });
  void renamed.then(() => {
    isAnswered = true;
  });
  await until(async () => disk.waiting.length > 0);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  const { status, body } = await operator.get(`/iam/v2beta1/groups/${uid}`);
  assert.deepEqual([status, body.description], [200, "new"], "visible before it is durable");
  assert.equal(isAnswered, false);
  disk.isHeld = false;
  const { ended } = disk;
  disk.end();
  assert.equal((await renamed).status, 200);
  assert.ok(disk.ended > ended);
});

test("SQLite does not flush commits itself", async (t) => {
  const { store } = await openSite(t, {});
  const level = await store.write((tx) => tx.get("PRAGMA synchronous"));
  // NORMAL: only around checkpoints.
  assert.deepEqual({ ...level }, { synchronous: 1 });
});

test("a write is answered after a flush that began after its commit, and one batch runs meanwhile", async (t) => {
  const disk = new Disk();
  const { put, names } = await openSite(t, disk);
  disk.isHeld = true;
  const answered: string[] = [];
  const write = (name: string) => put(name).then(() => answered.push(name));
  const first = write("1");
  await until(async () => disk.waiting.length === 1);
  const second = write("2");
  await until(async () => (await names()).includes("2"));
  const third = write("3");
  assert.deepEqual([answered, disk.waiting.length], [[], 1]);
  disk.end();
  await first;
  assert.deepEqual(answered, ["1"]);
  await until(async () => (await names()).includes("3"));
  assert.deepEqual([answered, disk.waiting.length], [["1"], 1]);
  disk.isHeld = false;
  disk.end();
  await Promise.all([second, third]);
  assert.deepEqual(answered, ["1", "2", "3"]);
});

for (const [code, cause] of [
  ["EIO", "io_error"],
  ["ENOSPC", "disk_full"],
] as const) {
  test(`a flush that fails with ${code} leaves the outcome open, also of what was committed on top`, async (t) => {
    const disk = new Disk();
    const { put, names, failures, pages } = await openSite(t, disk);
    disk.isHeld = true;
    const outcome = { code: "UNKNOWN", detail: { reason: "COMMIT_OUTCOME_UNKNOWN" } };
    const first = assert.rejects(put("1"), outcome);
    await until(async () => disk.waiting.length === 1);
    const second = assert.rejects(put("2"), outcome);
    await until(async () => (await names()).includes("2"));
    disk.isHeld = false;
    disk.end(code);
    await Promise.all([first, second]);
    assert.deepEqual(failures, [cause, cause]);
    await put("3");
    assert.ok(pages() < 10, `the log begins again: ${pages()} pages`);
    assert.deepEqual(await names(), ["1", "2", "3"]);
  });
}

test("nothing is written after a failed flush until the log could begin again", async (t) => {
  const disk = new Disk();
  const { path, put, names } = await openSite(t, { flush: disk.flush, lockWaitMs: 100 });
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  disk.isHeld = true;
  const failed = assert.rejects(put("1"), { code: "UNKNOWN" });
  await until(async () => disk.waiting.length === 1);
  // Reads from the log.
  other.exec("BEGIN");
  other.prepare("SELECT count(*) FROM installation").get();
  disk.isHeld = false;
  disk.end("EIO");
  await failed;
  const error = { code: "UNAVAILABLE" };
  await assert.rejects(put("2"), error);
  await assert.rejects(put("3"), error);
  other.exec("COMMIT");
  await put("4");
  assert.deepEqual(await names(), ["1", "4"]);
});

test("a long log is copied by another process, and begins again", async (t) => {
  const { put, names, pages, failures } = await openSite(t, { checkpointPages: 50 });
  const written: string[] = [];
  const write = async () => {
    const name = `${written.length}`.padStart(6, "0");
    await put(name);
    written.push(name);
  };
  for (let round = 0; round < 3; round++) {
    while (pages() < 50) await write();
    while (pages() >= 50) await write();
  }
  assert.deepEqual(await names(), written);
  assert.deepEqual(failures, []);
});

test("a store may be closed while its log is copied", async (t) => {
  const { put, pages, close, failures } = await openSite(t, { checkpointPages: 5 });
  while (pages() < 10) await put(`${pages()}`);
  await close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(failures, []);
});

test("a read of another process delays the begin of the log, not writes", async (t) => {
  const { path, put, pages, failures } = await openSite(t, { checkpointPages: 50 });
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  await put("first");
  other.exec("BEGIN");
  other.prepare("SELECT count(*) FROM installation").get();
  let written = 0;
  const write = () => put(`${written++}`);
  while (pages() < 500) await write();
  other.exec("COMMIT");
  while (pages() >= 50) await write();
  assert.deepEqual(failures, []);
});
