/** Tests the application of steps: to the tables of definitions, beside other replicas, and after interruptions. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MIGRATION_LOCK } from "../src/store/db/advisory-locks.ts";
import type { Dialect, Driver, Session } from "../src/store/db/connection.ts";
import { migrate } from "../src/store/schema/migrate.ts";
import { readSchema } from "../src/store/schema/read-schema.ts";
import { type FilledTable, Schema } from "../src/store/schema/schema.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

/** The table of things, whose data is their color. */
const THINGS: FilledTable = {
  name: "things",
  filterColumns: [
    { name: "color", type: "text" },
    { name: "size", type: "integer" },
  ],
  filtersOf: (data) => ({ color: Buffer.from(data).toString(), size: data.length }),
};

const LIMITS = { retryMs: 5, lockTimeoutMs: 20, batchSize: 3, progressMs: 0 };

/** The schema with which stores begin. */
const FIRST = `
CREATE TABLE migrations (
  step INTEGER PRIMARY KEY, version TEXT NOT NULL, time INTEGER NOT NULL, pending TEXT NOT NULL
);
CREATE TABLE notes (nr INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE things (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL);
`;

const ADD = `
-- Things by color.
ALTER TABLE things ADD COLUMN color TEXT NOT NULL DEFAULT '';
ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
-- backfill: things.color
-- backfill: things.size
CREATE INDEX things_by_color ON things (color, id) WHERE color <> '';
CREATE INDEX things_by_size ON things (size, id);
`;
const COLORS = ["red", "green", "", "blue", "white", "black", "red"];

/** A schema of the first one and later steps, which begin with 2. */
const schemaOf = (dialect: Dialect, [first = "", ...steps]: readonly string[]) => {
  const further = steps.map((text, at) => [`00${at + 2}-step.sql`, text]);
  const files = { "schema-001.sql": first, ...Object.fromEntries(further) };
  return new Schema({ version: "9.8.7", files, tables: [THINGS] }, dialect);
};

for (const kind of STORES) {
  describe(`migrations on ${kind}`, () => {
    let database: NewDatabase;
    let driver: Driver;
    let lines: string[];
    beforeEach(async () => {
      lines = [];
      database = await NewDatabase.of(kind);
      driver = await database.connect();
    });
    afterEach(() => database.close());

    const log = { info: (_fields: object, message: string) => void lines.push(message) };
    const open = (steps: readonly string[], limits: object = {}, on = driver) =>
      migrate(on, schemaOf(driver.dialect, steps), { log, limits: { ...LIMITS, ...limits } });
    /** A replica of the version without colors adds rows. */
    const addThings = async (colors = COLORS) => {
      await driver.begin();
      for (const color of colors) {
        const sql = "INSERT INTO things (uid, name, data) VALUES (?, '', ?)";
        await driver.writer.run(sql, crypto.randomUUID(), Buffer.from(color));
      }
      await driver.commit();
    };
    const inTable = async () => (await readSchema(driver.reader)).get("things");
    const rows = async (column: string) => {
      const found = await driver.reader.all(`SELECT ${column} AS value FROM things ORDER BY id`);
      return found.map(({ value }) => value);
    };
    /** A driver whose sessions fail at a statement, as if the process had ended there. */
    const failingAt = (pattern: RegExp): Driver => ({
      ...driver,
      openSession: async () => {
        const session = await driver.openSession();
        const fail = (sql: string) => {
          if (pattern.test(sql)) throw new Error(`ended at ${sql}`);
        };
        return new Proxy(session, {
          get: (target, name: keyof Session) => {
            const member = target[name];
            if (typeof member !== "function") return member;
            return async (sql: string, ...params: never[]) => {
              if (name === "script" || name === "run") fail(sql);
              return (member as (...all: unknown[]) => unknown).call(target, sql, ...params);
            };
          },
        });
      },
    });

    test("a step adds columns and indexes, and fills them in batches", async () => {
      await open([FIRST]);
      await addThings();
      await open([FIRST, ADD]);
      assert.deepEqual(await rows("color"), COLORS);
      assert.deepEqual(
        await rows("size"),
        COLORS.map((color) => color.length),
      );
      const { indexes } = (await inTable()) ?? {};
      assert.deepEqual(indexes?.get("things_by_size")?.columns, ["size", "id"]);
      assert.ok(indexes?.get("things_by_color")?.where);
      assert.match(lines.join("\n"), /step 2 of 2 took \d+ ms/);
      const [last] = await driver.reader.all("SELECT * FROM migrations WHERE step = 2");
      assert.deepEqual([last?.version, last?.pending], ["9.8.7", ""]);
    });

    test("replicas of the previous version keep inserting; a later step fills their rows", async () => {
      await open([FIRST]);
      await open([FIRST, ADD]);
      await addThings();
      assert.deepEqual(
        await rows("color"),
        COLORS.map(() => ""),
      );
      await open([FIRST, ADD, "-- backfill: things.color"]);
      assert.deepEqual(await rows("color"), COLORS);
    });

    test("a current store is left alone", async () => {
      await open([FIRST]);
      const openSession = () => assert.fail("a current store needs no migration");
      await open([FIRST], {}, { ...driver, openSession });
    });

    test("an index of the same name is replaced", async () => {
      await open([FIRST, ADD]);
      await open([FIRST, ADD, "CREATE UNIQUE INDEX things_by_size ON things (uid, size);"]);
      const index = (await inTable())?.indexes.get("things_by_size");
      assert.deepEqual([index?.columns, index?.unique], [["uid", "size"], true]);
    });

    test("a column is added unless it exists", async () => {
      const again = ADD.replaceAll("ADD COLUMN", "ADD COLUMN IF NOT EXISTS");
      await open([FIRST]);
      await addThings();
      await open([FIRST, again]);
      await open([FIRST, again, again]);
      assert.deepEqual(await rows("color"), COLORS);
    });

    test("statements of another database are left out, and types are those of the own one", async () => {
      const own = `-- ${kind}:\nCREATE TABLE own (id TEXT PRIMARY KEY);`;
      const other = `-- ${STORES.find((one) => one !== kind)}:\nCREATE TABLE other (id TEXT PRIMARY KEY);`;
      await open([FIRST, `${own}\n${other}`]);
      const stored = await readSchema(driver.reader);
      assert.deepEqual([stored.has("own"), stored.has("other")], [true, false]);
      const typeOf = (table: string, column: string) =>
        stored.get(table)?.columns.get(column)?.type;
      const [types, text] =
        kind === "sqlite"
          ? [["INTEGER", "TEXT", "BLOB"], "TEXT"]
          : [["bigint IDENTITY", "text COLLATE C", "bytea"], "text"];
      assert.deepEqual(
        ["id", "name", "data"].map((column) => typeOf("things", column)),
        types,
      );
      assert.equal(typeOf("own", "id"), text, "not translated");
    });

    test("a store from before the first step is rejected", async () => {
      await open([FIRST]);
      const files = { "schema-005.sql": FIRST, "004-late.sql": ADD };
      const late = new Schema({ version: "9.8.7", files, tables: [] }, driver.dialect);
      await assert.rejects(migrate(driver, late, {}), /cannot upgrade a store of step 1:/);
    });

    test("statements repeat until they change nothing", async () => {
      await open([FIRST]);
      await driver.begin();
      for (let id = 0; id < 10; id++)
        await driver.writer.run("INSERT INTO notes (nr, text) VALUES (?, 'old')", id);
      await driver.commit();
      const repeat = `UPDATE notes SET text = 'new' WHERE nr IN
        (SELECT nr FROM notes WHERE text = 'old' ORDER BY nr LIMIT 3)`;
      await open([FIRST, `-- repeat:\n${repeat};`]);
      assert.deepEqual(await driver.reader.all("SELECT 1 FROM notes WHERE text <> 'new'"), []);
    });

    for (const [at, pattern] of [
      ["the end of its transaction", /INSERT INTO migrations/],
      ["its backfill", /UPDATE things SET color/],
      ["an index", /CREATE INDEX .*things_by_color/],
      ["its last record", /UPDATE migrations SET pending/],
    ] as const) {
      test(`a step that was interrupted at ${at} is finished by the next start`, async () => {
        await open([FIRST]);
        await addThings();
        const steps = [FIRST, ADD, "CREATE INDEX notes_by_text ON notes (text);"];
        const interrupted = open(steps, {}, failingAt(pattern));
        await assert.rejects(interrupted, /step 2 of 3 of the upgrade failed/);
        await open(steps);
        assert.deepEqual(await rows("color"), COLORS);
        const schema = await readSchema(driver.reader);
        assert.ok(schema.get("things")?.indexes.get("things_by_color")?.valid);
        assert.ok(schema.get("notes")?.indexes.has("notes_by_text"));
        const openSession = () => assert.fail("nothing is left to do");
        await open(steps, {}, { ...driver, openSession });
      });
    }

    test("a migration waits for another transaction, and says so", async () => {
      await open([FIRST]);
      await addThings();
      const other = await database.connect();
      await other.begin();
      await other.writer.run("UPDATE things SET name = 'locked'");
      const done = open([FIRST, ADD]);
      while (!lines.some((line) => /waits for other transactions/.test(line))) await sleep(5);
      await other.commit();
      await done;
      assert.deepEqual(await rows("color"), COLORS);
    });

    test("a migration that waits too long ends with what to do", async () => {
      await open([FIRST]);
      const other = await database.connect();
      await other.begin();
      await other.writer.run("UPDATE migrations SET step = step");
      await other.writer.run("INSERT INTO notes (nr, text) VALUES (1, '')");
      const late = [FIRST, "ALTER TABLE notes ADD COLUMN more TEXT NOT NULL DEFAULT '';"];
      const waiting = open(late, { maxWaitMs: 50 });
      await assert.rejects(waiting, /end those that stay open, then start again/);
      await other.rollback();
      await open(late);
    });

    test("of replicas that start together one migrates", async () => {
      await open([FIRST]);
      await addThings();
      const replicas = await Promise.all([1, 2, 3].map(() => database.connect()));
      await Promise.all(replicas.map((one) => open([FIRST, ADD], {}, one)));
      assert.deepEqual(await rows("color"), COLORS);
      if (kind === "postgres") {
        assert.equal(lines.filter((line) => /step 2 of 2/.test(line)).length, 1);
      }
    });

    test("a store of a newer version names that version", async () => {
      await open([FIRST, ADD]);
      await assert.rejects(
        open([FIRST]),
        /migrated by wharf 9\.8\.7 \(step 2, this version knows 1\)/,
      );
    });

    test("tables without a record of their version are rejected", async () => {
      await open([FIRST]);
      await driver.begin();
      await driver.writer.run("DROP TABLE migrations");
      await driver.commit();
      await assert.rejects(open([FIRST]), /tables of wharf \(notes, things\) but no record/);
    });

    test("a database of another program is rejected, and unchanged", async () => {
      await driver.begin();
      await driver.writer.run("CREATE TABLE migrations (id BIGINT PRIMARY KEY, name TEXT)");
      await driver.commit();
      await assert.rejects(open([FIRST]), /not one of wharf: it has the tables migrations/);
      assert.deepEqual([...(await readSchema(driver.reader)).keys()], ["migrations"]);
    });
  });
}

describe("migrations of PostgreSQL", () => {
  let database: NewDatabase;
  beforeEach(async () => {
    database = await NewDatabase.of("postgres");
  });
  afterEach(() => database.close());

  const open = (driver: Driver, steps: readonly string[], limits: object = {}) =>
    migrate(driver, schemaOf(driver.dialect, steps), { limits: { ...LIMITS, ...limits } });

  test("an invalid index of an interrupted build is built again", async () => {
    const driver = await database.connect();
    await open(driver, [FIRST]);
    const session = await driver.openSession();
    await session.script("INSERT INTO notes VALUES (1, 'a'), (2, 'a')");
    const sql = "CREATE UNIQUE INDEX notes_by_text ON notes (text);";
    await assert.rejects(open(driver, [FIRST, sql]), /step 2 of 2/);
    const indexOf = async () =>
      (await readSchema(session)).get("notes")?.indexes.get("notes_by_text");
    assert.equal((await indexOf())?.valid, false);
    await session.script("DELETE FROM notes WHERE nr = 2");
    await open(driver, [FIRST, sql]);
    assert.deepEqual([(await indexOf())?.valid, (await indexOf())?.unique], [true, true]);
    await session.close();
  });

  test("a replica that waits for another too long names it", async () => {
    const [one, other] = [await database.connect(), await database.connect()];
    await open(one, [FIRST]);
    const session = await one.openSession();
    await session.script(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const late = open(other, [FIRST, "SELECT 1;"], { maxWaitMs: 20 });
    await assert.rejects(late, /another replica \(127\.0\.0\.1\) still upgrades the store/);
    await session.close();
    await open(other, [FIRST, "SELECT 1;"]);
  });

  test("a replica that waits for another keeps no transaction open", async () => {
    const [one, other] = [await database.connect(), await database.connect()];
    await open(one, [FIRST]);
    const session = await one.openSession();
    await session.script(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const late = open(other, [FIRST, "SELECT 1;"]);
    const transactions = async () => {
      const sql = `SELECT pid || ' since ' || xact_start AS name FROM pg_stat_activity
        WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`;
      return (await one.reader.all<{ name: string }>(sql)).map(({ name }) => name);
    };
    const waiting = async () => {
      const sql = `SELECT 1 AS one FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_stat_progress_create_index%'
          AND pid <> pg_backend_pid()`;
      return (await one.reader.get(sql)) !== undefined;
    };
    while (!(await waiting())) await sleep(5);
    const before = await transactions();
    // Its checks are transactions, too: each of them ends while the replica waits.
    while ((await transactions()).some((name) => before.includes(name))) await sleep(5);
    await session.close();
    await late;
  });

  test("tables of other programs may be in the same schema", async () => {
    const driver = await database.connect();
    await driver.begin();
    await driver.writer.run("CREATE TABLE others (id BIGINT PRIMARY KEY)");
    await driver.commit();
    await open(driver, [FIRST]);
  });
});
