import assert from "node:assert/strict";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { operatorToken } from "../src/app/admin.ts";
import type { RunningServer } from "../src/app/running-server.ts";
import { startServer } from "../src/app/server.ts";
import type { Settings } from "../src/config/settings.ts";
import { DELIVERY_TIMES } from "../src/delivery/times.ts";
import { openSqlite } from "../src/store/db/sqlite.ts";
import { Store } from "../src/store/db/store.ts";
import { Http } from "./support/client/http.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { testSettings } from "./support/server/test-settings.ts";

/** A server on SQLite that looks for its files often, and waits for locks as long as the test wants. */
class Site {
  readonly data = scratchFolder("wharf-sqlite-");
  readonly database = join(this.data, "wharf.db");
  readonly log: string[] = [];
  server!: RunningServer;
  settings!: Settings;
  operator!: Http;
  readonly #lockWaitMs: number;

  constructor(lockWaitMs = 50) {
    this.#lockWaitMs = lockWaitMs;
  }

  async start(): Promise<void> {
    const flags = ["--listen", "127.0.0.1:0", "--base-url", "http://wharf.test"];
    this.settings = await testSettings([...flags, "--data", this.data]);
    this.server = await startServer(this.settings, {
      open: async (_settings, tables, timings) =>
        Store.open(
          openSqlite(this.database, { lockWaitMs: this.#lockWaitMs, watchMs: 20 }),
          tables,
          timings,
        ),
      // Tasks in the background look for work this often.
      deliveryTimes: { ...DELIVERY_TIMES, pollMs: 5, idlePollMs: 5 },
      logOutput: { write: (line) => this.log.push(line), flushSync() {} },
    });
    this.operator = new Http(this.server.url, await operatorToken(this.settings));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.data, { recursive: true });
  }

  async status(path: string): Promise<number> {
    return (await fetch(`${this.server.url}${path}`)).status;
  }

  /** The reason why the server is not ready; undefined if it is. */
  async notReady(): Promise<string | undefined> {
    const response = await fetch(`${this.server.url}/readyz`);
    if (response.status === 200) return undefined;
    return ((await response.json()) as { reason: string }).reason;
  }

  async errors(cause: string): Promise<number> {
    const metrics = await (await fetch(`${this.server.url}/metrics`)).text();
    const found = new RegExp(`^wharf_store_errors_total\\{cause="${cause}"\\} (\\d+)`, "m");
    return Number(found.exec(metrics)?.[1] ?? 0);
  }

  logged(text: string): boolean {
    return this.log.some((line) => line.includes(text));
  }
}

describe("a SQLite store with a damaged page", () => {
  const site = new Site();
  let org: string;
  before(async () => {
    await site.start();
    org = (await site.operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    await site.server.stop();
    damage(site.database, "groups");
    await site.start();
  });
  after(() => site.stop());

  test("fails no write that waits with one that needs it", async () => {
    // A failed request starts a check of the store, whose write joins those of the next requests.
    for (let round = 0; round < 50; round++) {
      await Promise.all([
        site.operator.get(`/iam/v2beta1/groups/${org}`),
        site.operator.post(`/iam/v2beta1/groups/${org}`, { name: "child" }),
        site.operator.get(`/iam/v2beta1/groups/${org}`),
      ]);
      assert.equal(await site.notReady(), undefined);
    }
  });

  test("fails the requests that read it with DATA_LOSS", async () => {
    for (let round = 0; round < 3; round++) {
      const { status, body } = await site.operator.get(`/iam/v2beta1/groups/${org}`);
      assert.equal(status, 500);
      assert.equal(body.code, 15);
    }
  });

  test("fails the writes that need it, and serves what does not", async () => {
    const [group, roles] = await Promise.all([
      site.operator.post(`/iam/v2beta1/groups/${org}`, { name: "child" }),
      site.operator.get("/iam/v2beta1/roles?page_size=1"),
    ]);
    assert.equal(group.body.code, 15);
    assert.equal(roles.status, 200);
  });

  test("stays ready, and logs and counts the cause", async () => {
    assert.equal(await site.notReady(), undefined);
    assert.ok((await site.errors("damaged")) >= 4);
    assert.ok(site.logged("the store cannot be read: the database is damaged"));
    assert.ok(site.logged("database disk image is malformed"));
  });
});

test("a write waits for the lock of another process while the server answers", async (t) => {
  const site = new Site(60_000);
  await site.start();
  t.after(() => site.stop());
  const other = new DatabaseSync(site.database);
  t.after(() => other.close());
  other.exec("BEGIN EXCLUSIVE");
  const created = site.operator.post("/iam/v2beta1/groups", { name: "delayed" });
  assert.equal(await site.status("/healthz"), 200);
  assert.equal((await site.operator.get("/iam/v2beta1/roles?page_size=1")).status, 200);
  other.exec("COMMIT");
  assert.equal((await created).status, 200);
});

describe("a SQLite store that another process has locked", () => {
  const site = new Site();
  let org: string;
  let other: DatabaseSync;
  before(async () => {
    await site.start();
    org = (await site.operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    other = new DatabaseSync(site.database);
  });
  after(async () => {
    other.close();
    await site.stop();
  });
  const create = (name: string) => site.operator.post(`/iam/v2beta1/groups/${org}`, { name });

  test("rejects writes after a while, serves reads, and recovers", async () => {
    other.exec("BEGIN EXCLUSIVE");
    assert.equal((await create("rejected")).status, 503);
    assert.equal(await site.notReady(), "locked");
    assert.equal(await site.status("/healthz"), 200);
    assert.equal((await site.operator.get(`/iam/v2beta1/groups/${org}`)).status, 200);
    assert.ok((await site.errors("locked")) >= 1);
    other.exec("COMMIT");
    assert.equal((await create("after")).status, 200);
    assert.equal(await site.notReady(), undefined);
  });
});

describe("a SQLite store whose file is moved away under the server", () => {
  const site = new Site();
  before(() => site.start());
  after(() => site.stop());
  const create = (name: string) => site.operator.post("/iam/v2beta1/groups", { name });

  for (const suffix of ["", "-wal", "-shm"]) {
    test(`wharf.db${suffix}: is noticed without a write, reads and writes are rejected, and it recovers`, async () => {
      const file = site.database + suffix;
      assert.equal((await site.operator.get("/iam/v2beta1/roles?page_size=1")).status, 200);
      renameSync(file, `${file}.moved`);
      while ((await site.notReady()) !== "replaced") await sleep(10);
      assert.equal((await create("rejected")).status, 503);
      // Read before, read on the event loop, and read by a process.
      for (const path of ["roles?page_size=1", "groups", "groups?query=never-asked"])
        assert.equal((await site.operator.get(`/iam/v2beta1/${path}`)).status, 503, path);
      renameSync(`${file}.moved`, file);
      assert.equal((await create("after")).status, 200);
      while ((await site.notReady()) !== undefined) await sleep(10);
    });
  }

  test("the log has the cause", () => {
    assert.ok(site.logged("wharf.db was replaced or removed after it was opened"));
  });

  test("the log does not repeat what fails in the background", async () => {
    renameSync(site.database, `${site.database}.moved`);
    const before = await site.errors("replaced");
    while ((await site.errors("replaced")) < before + 50) await sleep(10);
    renameSync(`${site.database}.moved`, site.database);
    for (const text of ["events not dispatched", "events not delivered"]) {
      const { length } = site.log.filter((line) => line.includes(text));
      // The first, and one a minute.
      assert.ok(length >= 1 && length < 5, `${text}: ${length} times`);
    }
  });

  test("a copy in its place is not written", async () => {
    const file = site.database;
    const moved = `${file}.moved`;
    renameSync(file, moved);
    closeSync(openSync(file, "w", 0o600));
    assert.equal((await create("rejected")).status, 503);
    renameSync(moved, file);
    assert.equal((await create("again")).status, 200);
  });
});

/** Overwrites the root page of a table, as a failing disk would. */
function damage(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const { rootpage } = database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?")
    .get(table) as { rootpage: number };
  const { page_size: size } = database.prepare("PRAGMA page_size").get() as { page_size: number };
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
  closeSync(file);
}
