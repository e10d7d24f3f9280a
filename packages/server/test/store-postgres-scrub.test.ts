import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { openPostgres } from "../src/store/db/postgres.ts";
import { emptyDatabase, session } from "./support/server/postgres.ts";

const SECRET = "a-secret-in-plaintext";

/** Scrubs a deleted secret, while a transaction that began before its deletion is open. */
async function scrubBeside(t: TestContext, older: pg.Client, database: string, begin: string) {
  const client = await session(t, database);
  await client.query("CREATE TABLE plain (value text)");
  await client.query("INSERT INTO plain VALUES ($1)", [SECRET]);
  await older.query(begin);
  await client.query("DELETE FROM plain");

  const driver = await openPostgres(database);
  t.after(() => driver.close());
  const scrubbed = driver.scrub(["plain"]);
  await sleep(200);
  await older.query("COMMIT");
  await scrubbed;
  await client.query("CHECKPOINT");
  const { rows } = await client.query(
    "SELECT current_setting('data_directory') AS folder, pg_relation_filepath('plain') AS path",
  );
  return readFileSync(join(rows[0].folder, rows[0].path));
}

test("scrub waits for a transaction of another database that writes", async (t) => {
  const older = await session(t, await emptyDatabase());
  const begin = "BEGIN; SELECT pg_current_xact_id()";
  const content = await scrubBeside(t, older, await emptyDatabase(), begin);
  assert.ok(!content.includes(SECRET));
});

test("scrub waits for a transaction of this database that reads", async (t) => {
  const database = await emptyDatabase();
  const older = await session(t, database);
  const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM plain";
  assert.ok(!(await scrubBeside(t, older, database, begin)).includes(SECRET));
});
