/** How steps are applied: to the tables of definitions, beside other replicas, and after interruptions. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MIGRATION_LOCK } from "../src/store/db/advisory-locks.ts";
import type { Driver, Session } from "../src/store/db/connection.ts";
import { tableSchema } from "../src/store/resources/table-schema.ts";
import type { FilterColumn, TableShape } from "../src/store/resources/table-shape.ts";
import { migrate } from "../src/store/schema/migrate.ts";
import { readSchema } from "../src/store/schema/read-schema.ts";
import type { Step } from "../src/store/schema/step.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const COLOR: FilterColumn = { name: "color", type: "text", sparse: true };
const SIZE: FilterColumn = { name: "size", type: "integer" };

/** The table of things, whose data is their color. */
const things = (filterColumns: readonly FilterColumn[], more: Partial<TableShape> = {}) => ({
  name: "things",
  filterColumns,
  isScope: false,
  hasChildren: false,
  uidIsParent: false,
  filtersOf: (data: Uint8Array) => ({ color: Buffer.from(data).toString(), size: data.length }),
  ...more,
});

const LIMITS = { retryMs: 5, lockTimeoutMs: 20, batchSize: 3, progressMs: 0 };
const FIRST: Step = ["CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL)"];
const COLORS = ["red", "green", "", "blue", "white", "black", "red"];

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
    const open = (
      steps: readonly Step[],
      shape: TableShape = things([]),
      limits: object = {},
      on = driver,
    ) => {
      const tables = [tableSchema(shape, driver.dialect)];
      const options = { log, limits: { ...LIMITS, ...limits } };
      return migrate(on, { version: "9.8.7", steps, tables }, options);
    };
    /** A replica of the version without colors adds rows. */
    const addThings = async (colors = COLORS) => {
      await driver.begin();
      for (const color of colors) {
        const sql = `INSERT INTO things (uid, parent, root, name, created, updated, encoding, data, json)
          VALUES (?, '', '', '', 0, 0, 0, ?, '')`;
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
    const ADD: Step = { table: "things" };

    test("a step adds columns and indexes of the definition, and fills them in batches", async () => {
      await open([FIRST]);
      await addThings();
      await open([FIRST, ADD], things([COLOR, SIZE]));
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
      await open([FIRST, ADD], things([COLOR]));
      await addThings();
      assert.deepEqual(
        await rows("color"),
        COLORS.map(() => ""),
      );
      await open([FIRST, ADD, { table: "things", backfill: ["color"] }], things([COLOR]));
      assert.deepEqual(await rows("color"), COLORS);
    });

    test("a current store is left alone", async () => {
      await open([FIRST], things([COLOR]));
      const openSession = () => assert.fail("a current store needs no migration");
      await open([FIRST], things([COLOR]), {}, { ...driver, openSession });
    });

    test("a definition that changed without a step is an error", async () => {
      await open([FIRST]);
      await assert.rejects(open([FIRST], things([COLOR])), /things differs from its definition/);
      await open([FIRST]);
    });

    test("indexes of the definition are replaced, and dropped ones go", async () => {
      await open([FIRST], things([], { uniqueNames: true, indexes: [["name", "updated"]] }));
      await driver.begin();
      await driver.writer.run("DROP INDEX things_by_updated");
      await driver.writer.run("CREATE INDEX things_by_updated ON things (updated)");
      await driver.commit();
      await open([FIRST, ADD], things([]));
      const { indexes } = (await inTable()) ?? {};
      assert.deepEqual(indexes?.get("things_by_updated")?.columns, ["updated", "id", "uid"]);
      assert.ok(indexes?.has("things_by_parent_name"));
      for (const gone of ["things_by_own_name", "things_by_name_updated"])
        assert.ok(!indexes?.has(gone), gone);
    });

    test("a column is retired, then dropped", async () => {
      await open([FIRST], things([COLOR]));
      const steps: Step[] = [FIRST, { table: "things", retire: ["color"] }];
      await open(steps, things([]));
      await addThings(["red"]);
      assert.equal((await inTable())?.columns.has("color"), kind === "postgres");
      await open([...steps, { table: "things", drop: ["color"] }], things([]));
      assert.equal((await inTable())?.columns.has("color"), false);
    });

    test("statements repeat until they change nothing", async () => {
      await open([FIRST]);
      await driver.begin();
      for (let id = 0; id < 10; id++)
        await driver.writer.run("INSERT INTO notes (id, text) VALUES (?, 'old')", id);
      await driver.commit();
      const repeat = `UPDATE notes SET text = 'new' WHERE id IN
        (SELECT id FROM notes WHERE text = 'old' ORDER BY id LIMIT 3)`;
      await open([FIRST, [{ repeat }]]);
      assert.deepEqual(await driver.reader.all("SELECT 1 FROM notes WHERE text <> 'new'"), []);
    });

    for (const [at, pattern] of [
      ["the end of its transaction", /INSERT INTO migrations/],
      ["its backfill", /UPDATE things SET color/],
      ["an index", /CREATE INDEX .* things_by_color/],
      ["its last record", /UPDATE migrations SET pending/],
    ] as const) {
      test(`a step that was interrupted at ${at} is finished by the next start`, async () => {
        await open([FIRST]);
        await addThings();
        const steps: Step[] = [FIRST, ADD, ["CREATE INDEX notes_by_text ON notes (text)"]];
        const interrupted = open(steps, things([COLOR]), {}, failingAt(pattern));
        await assert.rejects(interrupted, /step 2 of 3 of the upgrade failed/);
        await open(steps, things([COLOR]));
        assert.deepEqual(await rows("color"), COLORS);
        const schema = await readSchema(driver.reader);
        assert.ok(schema.get("things")?.indexes.get("things_by_color")?.valid);
        assert.ok(schema.get("notes")?.indexes.has("notes_by_text"));
        const openSession = () => assert.fail("nothing is left to do");
        await open(steps, things([COLOR]), {}, { ...driver, openSession });
      });
    }

    test("a migration waits for another transaction, and says so", async () => {
      await open([FIRST]);
      await addThings();
      const other = await database.connect();
      await other.begin();
      await other.writer.run("UPDATE things SET name = 'locked'");
      const done = open([FIRST, ADD], things([COLOR]));
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
      await other.writer.run("INSERT INTO notes (id, text) VALUES (1, '')");
      const late: Step[] = [FIRST, ["ALTER TABLE notes ADD COLUMN more TEXT NOT NULL DEFAULT ''"]];
      const waiting = open(late, things([]), { maxWaitMs: 50 });
      await assert.rejects(waiting, /end those that stay open, then start again/);
      await other.rollback();
      await open(late);
    });

    test("of replicas that start together one migrates", async () => {
      await open([FIRST]);
      await addThings();
      const replicas = await Promise.all([1, 2, 3].map(() => database.connect()));
      await Promise.all(replicas.map((one) => open([FIRST, ADD], things([COLOR]), {}, one)));
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
      await assert.rejects(
        open([FIRST]),
        /tables of wharf \(table_digests, notes, things\) but no record/,
      );
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

  const open = (driver: Driver, steps: readonly Step[], limits: object = {}) =>
    migrate(driver, { version: "1.0.0", steps, tables: [] }, { limits: { ...LIMITS, ...limits } });

  test("an invalid index of an interrupted build is built again", async () => {
    const driver = await database.connect();
    await open(driver, [FIRST]);
    const session = await driver.openSession();
    await session.script("INSERT INTO notes VALUES (1, 'a'), (2, 'a')");
    const sql = "CREATE UNIQUE INDEX notes_by_text ON notes (text)";
    await assert.rejects(open(driver, [FIRST, [sql]]), /step 2 of 2/);
    const indexOf = async () =>
      (await readSchema(session)).get("notes")?.indexes.get("notes_by_text");
    assert.equal((await indexOf())?.valid, false);
    await session.script("DELETE FROM notes WHERE id = 2");
    await open(driver, [FIRST, [sql]]);
    assert.deepEqual([(await indexOf())?.valid, (await indexOf())?.unique], [true, true]);
    await session.close();
  });

  test("a replica that waits for another too long names it", async () => {
    const [one, other] = [await database.connect(), await database.connect()];
    await open(one, [FIRST]);
    const session = await one.openSession();
    await session.script(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const late = open(other, [FIRST, ["SELECT 1"]], { maxWaitMs: 20 });
    await assert.rejects(late, /another replica \(127\.0\.0\.1\) still upgrades the store/);
    await session.close();
    await open(other, [FIRST, ["SELECT 1"]]);
  });

  test("a replica that waits for another keeps no transaction open", async () => {
    const [one, other] = [await database.connect(), await database.connect()];
    await open(one, [FIRST]);
    const session = await one.openSession();
    await session.script(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const late = open(other, [FIRST, ["SELECT 1"]]);
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
