/** Reads that may take long neither delay others nor outlive their requests. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ChildProgram } from "../../src/lib/child-program.ts";
import { WharfError } from "../../src/lib/errors.ts";
import { type Driver, type Reader, runStatement } from "../../src/store/db/connection.ts";
import type { StoreFailure } from "../../src/store/db/failure.ts";
import { openPostgres } from "../../src/store/db/postgres.ts";
import type { CostlyLimits } from "../../src/store/db/read/costly-reads.ts";
import { DataFileReplaced, DataFiles } from "../../src/store/db/sqlite/data-files.ts";
import { ReaderProcesses } from "../../src/store/db/sqlite/reader-processes.ts";
import { openSqlite } from "../../src/store/db/sqlite.ts";
import { Store } from "../../src/store/db/store.ts";
import { emptyDatabase } from "../support/server/postgres.ts";
import { scratchFolder } from "../support/server/scratch-folder.ts";

/** One step of a statement that would take hours. */
const ENDLESS = {
  sqlite: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT count(*) AS total FROM (SELECT i FROM n LIMIT 1000000000000)`,
  postgres: "SELECT pg_sleep(36000)",
};

const PAGE_BYTES = 4_096;

const gone = () => new WharfError("CANCELLED", "the client closed the request");

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20);
}

/** Without the classes of rows and bytes, which differ. */
function plainly(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return [...(value as Uint8Array)];
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([key, one]) => [key, plainly(one)]);
}

/** A store whose costly reads have low limits. */
async function openWith(driver: Driver, limits: Partial<CostlyLimits> = {}): Promise<Store> {
  return Store.open(driver, [], { committed() {} }, { costly: limits });
}

/** The costly reads of a caller, and how their request ends. */
function requestOf(store: Store, uid: string) {
  const request = new AbortController();
  const { costly } = store.readerFor({
    caller: { uid },
    remoteAddress: uid,
    signal: request.signal,
  });
  return { costly: costly as Reader, end: () => request.abort(gone()) };
}

const DRIVERS = {
  sqlite: async () => openSqlite(join(scratchFolder("wharf-costly-"), "wharf.db")),
  postgres: async () => openPostgres(await emptyDatabase(), { tickMs: 20 }),
};

for (const name of ["sqlite", "postgres"] as const) {
  describe(`costly reads on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await openWith(await DRIVERS[name](), { maxQueuedPerShare: 2 });
    });
    after(() => store.close());

    const put = (key: string) =>
      store.write((tx) => tx.run("INSERT INTO installation (name, value) VALUES (?, ?)", key, "x"));

    test("return what other reads return", async () => {
      await put("first");
      const { costly } = requestOf(store, "a");
      const bytes = name === "sqlite" ? "x'00ff'" : "'\\x00ff'::bytea";
      const sql = `SELECT name, ${bytes} AS bytes, NULL AS none FROM installation WHERE name = ?`;
      for (const kind of ["get", "all", "arrays"] as const) {
        const statement = { kind, sql, params: ["first"] };
        const plain = await runStatement(store.reader, statement);
        assert.deepEqual(plainly(await runStatement(costly, statement)), plainly(plain));
      }
      assert.equal(
        await costly.get("SELECT name FROM installation WHERE name = ?", "none"),
        undefined,
      );
      await assert.rejects(costly.all("SELECT nothing FROM installation"), /nothing/);
    });

    test("see everything that was committed before", async () => {
      const { costly } = requestOf(store, "a");
      for (let written = 0; written < 10; written++) {
        await put(`seen-${written}`);
        const rows = await costly.all("SELECT name FROM installation WHERE name LIKE 'seen-%'");
        assert.equal(rows.length, written + 1);
      }
    });

    test("end with their request, and the next one runs", async () => {
      const { interrupted } = store.costlyReads.totals;
      const request = requestOf(store, "a");
      const read = request.costly.get(ENDLESS[name]);
      await eventually(() => store.costlyReads.size.running === 1);
      request.end();
      await assert.rejects(read, { code: "CANCELLED" });
      await eventually(() => store.costlyReads.size.running === 0);
      assert.equal(store.costlyReads.totals.interrupted, interrupted + 1);
      assert.deepEqual(await requestOf(store, "a").costly.all("SELECT 1 AS one"), [{ one: 1 }]);
      await assert.rejects(request.costly.get("SELECT 2 AS two"), { code: "CANCELLED" });
      assert.equal(store.health.failure, undefined);
    });

    test("of one caller leave room for those of others, and are limited", async () => {
      const greedy = requestOf(store, "greedy");
      const reads: Promise<unknown>[] = [];
      let rejection: WharfError | undefined;
      while (rejection === undefined) {
        const read = greedy.costly.get(ENDLESS[name]);
        reads.push(read.catch((error) => error));
        await sleep(1);
        if (store.costlyReads.totals.rejected > 0) rejection = (await reads.at(-1)) as WharfError;
      }
      assert.equal(rejection.code, "RESOURCE_EXHAUSTED");
      assert.equal(rejection.retryAfterSeconds, 1);
      assert.match(rejection.message, /your organization or network are waiting/);
      assert.equal(store.costlyReads.size.waiting, 2);
      assert.deepEqual(await requestOf(store, "modest").costly.all("SELECT 3 AS three"), [
        { three: 3 },
      ]);
      greedy.end();
      await Promise.all(reads);
      await eventually(() => store.costlyReads.size.running === 0);
    });

    test("that take too long are interrupted", async () => {
      const impatient = await openWith(await DRIVERS[name](), { maxMs: 50 });
      const { costly } = requestOf(impatient, "a");
      await assert.rejects(costly.get(ENDLESS[name]), {
        code: "DEADLINE_EXCEEDED",
        message: /took longer than 0.05 s/,
      });
      await impatient.close();
    });

    test("do not keep the store from closing", async () => {
      const closing = await openWith(await DRIVERS[name]());
      const read = requestOf(closing, "a").costly.get(ENDLESS[name]);
      const failed = assert.rejects(read, { code: "UNAVAILABLE" });
      await eventually(() => closing.costlyReads.size.running === 1);
      await closing.close();
      await failed;
      await assert.rejects(requestOf(closing, "a").costly.get("SELECT 4"), { code: "UNAVAILABLE" });
    });
  });
}

describe("costly reads of SQLite", () => {
  test("are cached until something is committed", async (t) => {
    const store = await openWith(await DRIVERS.sqlite());
    t.after(() => store.close());
    const read = () => requestOf(store, "a").costly.all("SELECT name FROM installation");
    const before = await read();
    assert.equal(await read(), before);
    assert.equal(store.costlyReads.totals.begun, 1);
    await store.write((tx) => tx.run("INSERT INTO installation (name, value) VALUES ('a', 'b')"));
    assert.equal((await read()).length, before.length + 1);
    assert.equal(store.costlyReads.totals.begun, 2);
  });

  test("run on the event loop once they were cheap often enough", async (t) => {
    const store = await openWith(await DRIVERS.sqlite());
    t.after(() => store.close());
    let number = 0;
    const read = () => requestOf(store, "a").costly.get("SELECT ? AS number", number++);
    await eventually(async () => {
      await read();
      return store.costlyReads.totals.begun < number;
    });
    assert.equal((await read())?.number, number - 1);
  });

  test("report damage", async (t) => {
    const path = join(scratchFolder("wharf-costly-"), "wharf.db");
    const store = await openWith(openSqlite(path));
    t.after(() => store.close());
    await store.write(async (tx) => {
      for (let row = 0; row < 100; row++)
        await tx.run(
          "INSERT INTO installation (name, value) VALUES (?, ?)",
          `row-${row}`,
          "x".repeat(1_000),
        );
    });
    await store.scrub([]);
    const file = openSync(path, "r+");
    for (let at = PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES)
      writeSync(file, Buffer.alloc(100, 0xff), 0, 100, at);
    closeSync(file);
    const { costly } = requestOf(store, "a");
    await assert.rejects(costly.all("SELECT * FROM installation"), { code: "DATA_LOSS" });
  });
});

describe("reader processes", () => {
  const SELECT = { kind: "arrays", sql: "SELECT 1", params: [] } as const;
  const never = new AbortController().signal;
  let path: string;
  let driver: Driver;
  before(() => {
    path = join(scratchFolder("wharf-costly-"), "wharf.db");
    driver = openSqlite(path);
  });
  after(() => driver.close());

  const start = (idleMs?: number) =>
    new ReaderProcesses(
      { path, opened: new DataFiles(path).opened },
      idleMs === undefined ? {} : { idleMs },
    );

  test("start when they are needed, and end when they are idle", async () => {
    const processes = start(1);
    assert.deepEqual(processes.pids, []);
    assert.deepEqual((await processes.run(SELECT, never)).result, [[1]]);
    await eventually(() => processes.pids.length === 0);
    assert.deepEqual((await processes.run(SELECT, never)).result, [[1]]);
    processes.end();
  });

  test("are replaced when they die; their reads fail", async () => {
    const processes = start();
    await processes.run(SELECT, never);
    const [pid] = processes.pids;
    const read = processes.run({ ...SELECT, sql: ENDLESS.sqlite }, never);
    process.kill(pid as number, "SIGKILL");
    await assert.rejects(read, { name: "ReaderProcessFailed", message: /^signal SIGKILL/ });
    assert.deepEqual((await processes.run(SELECT, never)).result, [[1]]);
    assert.notEqual(processes.pids[0], pid);
    processes.end();
  });

  test("that cannot start fail the check of the store, with their reason, until they can", async (t) => {
    const folder = scratchFolder("wharf-costly-");
    const broken = join(folder, "broken");
    writeFileSync(broken, "");
    const reader = fileURLToPath(
      import.meta.resolve("../../src/store/db/sqlite/reader-process.ts"),
    );
    const file = join(folder, "program.cjs");
    const [condition, program] = [broken, reader].map((path) => JSON.stringify(path));
    writeFileSync(
      file,
      `if (require("node:fs").existsSync(${condition})) { console.error("no memory"); process.exit(3); }
       import(${program});`,
    );
    const database = join(folder, "wharf.db");
    const opened = openSqlite(database, { program: new ChildProgram(file) });
    rmSync(file);
    const store = await Store.open(opened, [], { committed() {} }, { checkMs: 20 });
    t.after(() => store.close());
    const reports: StoreFailure[] = [];
    store.health.observe({ failed: (failure) => reports.push(failure), recovered() {} });
    store.health.start();

    const read = requestOf(store, "a").costly.get("SELECT 1 AS one");
    const message =
      /the store cannot be read: a process for costly reads or checkpoints has failed/;
    await assert.rejects(read, { code: "UNAVAILABLE", message });
    assert.match(String(reports[0]?.error), /exit code 3: no memory/);
    await eventually(() => store.health.failure?.cause === "reader_process");

    rmSync(broken);
    await eventually(() => store.health.failure === undefined);
    // The file of the program is gone since the start.
    assert.deepEqual(plainly(await requestOf(store, "b").costly.get("SELECT 2 AS two")), [
      ["two", 2],
    ]);
  });

  test("end with the process that started them", async () => {
    const program = `
      import { DataFileReplaced, DataFiles } from "${new URL("../../src/store/db/sqlite/data-files.ts", import.meta.url)}";
      import { ReaderProcesses } from "${new URL("../../src/store/db/sqlite/reader-processes.ts", import.meta.url)}";
      const path = ${JSON.stringify(path)};
      const processes = new ReaderProcesses({ path, opened: new DataFiles(path).opened });
      await processes.run(${JSON.stringify(SELECT)}, new AbortController().signal);
      console.log(processes.pids[0]);`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      program,
    ]);
    await eventually(() => !isRunning(Number(stdout)));
  });

  test("read no other files than the server has open", async () => {
    const processes = start();
    renameSync(path, `${path}.away`);
    copyFileSync(`${path}.away`, path);
    await assert.rejects(processes.run(SELECT, never), DataFileReplaced);
    renameSync(`${path}.away`, path);
    assert.deepEqual((await processes.run(SELECT, never)).result, [[1]]);
    processes.end();
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
