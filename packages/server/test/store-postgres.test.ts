import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../src/store/db/postgres.ts";
import { emptyDatabase } from "./support/server/postgres.ts";

test("a failed transaction does not count as committed", async () => {
  const driver = await openPostgres(await emptyDatabase());
  try {
    await driver.begin();
    await driver.writer.run("CREATE TABLE kept (id integer)");
    await assert.rejects(driver.writer.run("SELECT * FROM no_such_table"));
    await assert.rejects(driver.commit(), /COMMIT was answered with ROLLBACK/);
    await driver.begin();
    await driver.writer.run("CREATE TABLE kept (id integer)");
    await driver.commit();
    assert.deepEqual(await driver.reader.all("SELECT * FROM kept"), []);
  } finally {
    await driver.close();
  }
});
