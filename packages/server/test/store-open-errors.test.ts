/** A store that cannot be opened: the error says what to do, and nothing has changed. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import pg from "pg";
import { operatorToken } from "../src/app/admin.ts";
import { RESOURCES } from "../src/app/resources.ts";
import { dataDirectoryError } from "../src/lib/startup-errors.ts";
import { openStore } from "../src/store/db/open.ts";
import { openSqlite } from "../src/store/db/sqlite.ts";
import { Store } from "../src/store/db/store.ts";
import { emptyDatabase, newDatabase } from "./support/server/postgres.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { restoreFixture } from "./support/server/store-fixture.ts";
import { testSettings } from "./support/server/test-settings.ts";

const OLDEST = "0.1.0-dev.5";
const TABLES = Object.values(RESOURCES).map(({ table }) => table);

async function open(...flags: string[]): Promise<void> {
  const store = await openStore(await testSettings(flags), TABLES, { committed() {} });
  await store.close();
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

describe("a SQLite store that cannot be opened", () => {
  /** The oldest store, on a disk where a statement is not possible any more. */
  async function failing(pragma: (pages: number) => string): Promise<Error> {
    const { storeFlags } = await restoreFixture(OLDEST, "sqlite");
    const [, data = ""] = storeFlags;
    const driver = openSqlite(join(data, "wharf.db"));
    const size = await driver.writer.get<{ page_count: number }>("PRAGMA page_count");
    await driver.writer.get(pragma(size?.page_count ?? 0));
    const failed = await Store.open(driver, TABLES, { committed() {} }).then(
      () => assert.fail("it was upgraded"),
      (error: unknown) => dataDirectoryError(data, error),
    );
    await open(...storeFlags);
    return failed;
  }

  test("on a full disk", async () => {
    const { message } = await failing((pages) => `PRAGMA max_page_count = ${pages + 5}`);
    assert.match(
      message,
      /the data directory \S+ cannot be used: step \d+ of \d+ of the upgrade failed: the disk is full; free space, then start again/,
    );
  });

  test("that is read-only", async () => {
    const { message } = await failing(() => "PRAGMA query_only = ON");
    assert.match(message, /the database is read-only; make wharf\.db and its directory writable/);
  });

  test("that another program wrote", async () => {
    const data = scratchFolder("wharf-foreign-");
    const database = new DatabaseSync(join(data, "wharf.db"));
    database.exec("CREATE TABLE bookmarks (url TEXT); CREATE TABLE tabs (url TEXT)");
    await assert.rejects(
      open("--data", data),
      /not one of wharf: it has the tables bookmarks, tabs of another program; use an empty database/,
    );
    assert.equal(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n, 2);
    database.close();
  });

  test("that is not a database", async () => {
    const data = scratchFolder("wharf-foreign-");
    writeFileSync(join(data, "wharf.db"), "not a database, but longer than its header".repeat(9));
    await assert.rejects(open("--data", data), /wharf\.db is not a database/);
  });

  test("with the key of another installation", async () => {
    const { storeFlags } = await restoreFixture("0.1.0-dev.13", "sqlite");
    const other = join(scratchFolder("wharf-key-"), "other.key");
    writeFileSync(other, Buffer.alloc(32, 7), { mode: 0o600 });
    const settings = await testSettings([...storeFlags.slice(0, 2), "--secret-key-file", other]);
    await assert.rejects(operatorToken(settings), /is not the key .* Restore it from its backup/);
  });
});

describe("a PostgreSQL store that cannot be opened", () => {
  test("without the permission to create tables", async () => {
    const url = new URL(await emptyDatabase());
    await execute(
      url.href,
      `DO $$ BEGIN CREATE ROLE limited LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
       REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
    );
    url.username = "limited";
    await assert.rejects(
      open("--database-url", url.href),
      /the database at 127\.0\.0\.1:\d+ cannot be used: permission denied; .* GRANT USAGE, CREATE ON SCHEMA/,
    );
  });

  test("that is read-only", async () => {
    const { storeFlags } = await restoreFixture(OLDEST, "postgres");
    const [, url = ""] = storeFlags;
    const database = new URL(url).pathname.slice(1);
    await execute(url, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    await assert.rejects(open(...storeFlags), /it is read-only; connect to the primary/);
  });

  test("that does not exist", async () => {
    const url = new URL(await emptyDatabase());
    url.pathname = "/nowhere";
    await assert.rejects(open("--database-url", url.href), /there is no such database; create it/);
  });

  test("that a newer version has migrated", async () => {
    const url = await newDatabase();
    await execute(url, "INSERT INTO migrations (step, version) VALUES (999, '7.0.0')");
    await assert.rejects(
      open("--database-url", url),
      /migrated by wharf 7\.0\.0 \(step 999, .*run that version or a newer one, or restore a backup/,
    );
  });
});
