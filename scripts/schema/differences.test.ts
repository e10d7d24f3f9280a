import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import type { Reader } from "../../packages/server/src/store/db/connection.ts";
import { readSchema } from "../../packages/server/src/store/schema/read-schema.ts";
import { differences } from "./differences.ts";

const schemaAfter = (script: string) => {
  const database = new DatabaseSync(":memory:");
  database.exec(script);
  const all = async (sql: string) => database.prepare(sql).all();
  return readSchema({ dialect: { name: "sqlite" }, all } as unknown as Reader);
};

const BEFORE = `
CREATE TABLE things (id INTEGER PRIMARY KEY, size INTEGER NOT NULL);
CREATE INDEX things_by_size ON things (size, id);`;

/** The step for the table of things, from BEFORE to what these statements create. */
async function stepTo(...created: readonly string[]): Promise<readonly string[]> {
  const defined = await schemaAfter(created.join("\n"));
  const steps = differences(await schemaAfter(BEFORE), defined, new Map([["things", created]]));
  return steps.get("things") ?? [];
}

describe("steps from definitions", () => {
  test("there is none without a difference", async () => {
    assert.deepEqual(await stepTo(BEFORE), []);
  });

  test("a new column has a default, is filled and then indexed", async () => {
    const index = "CREATE INDEX things_by_color ON things (color, id) WHERE color <> '';";
    const table =
      "CREATE TABLE things (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, color TEXT NOT NULL);";
    assert.deepEqual(
      await stepTo(table, "CREATE INDEX things_by_size ON things (size, id);", index),
      [
        "ALTER TABLE things ADD COLUMN color TEXT NOT NULL DEFAULT '';",
        "-- backfill: things.color",
        index,
      ],
    );
  });

  test("an index that differs is built again, and one that is gone is dropped", async () => {
    const table = "CREATE TABLE things (id INTEGER PRIMARY KEY, size INTEGER NOT NULL);";
    const other = "CREATE INDEX things_by_size ON things (size);";
    assert.deepEqual(await stepTo(table, other), [other]);
    assert.deepEqual(await stepTo(table), ["DROP INDEX IF EXISTS things_by_size;"]);
  });

  test("a column that is gone stays on PostgreSQL, with its index", async () => {
    assert.deepEqual(await stepTo("CREATE TABLE things (id INTEGER PRIMARY KEY);"), [
      "-- sqlite:",
      "DROP INDEX IF EXISTS things_by_size;",
      "-- sqlite:",
      "ALTER TABLE things DROP COLUMN size;",
      "-- postgres:",
      "ALTER TABLE things ALTER COLUMN size SET DEFAULT 0;",
    ]);
  });

  test("a column that no row has a value for needs a step of its own", async () => {
    const table =
      "CREATE TABLE things (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, part INTEGER NOT NULL);";
    await assert.rejects(stepTo(table), /things\.part cannot be derived/);
  });

  test("new tables share a step", async () => {
    const created = new Map([
      ["a", ["CREATE TABLE a (id INTEGER PRIMARY KEY);"]],
      ["b", ["CREATE TABLE b (id INTEGER PRIMARY KEY);"]],
    ]);
    const defined = await schemaAfter([...created.values()].flat().join("\n"));
    const steps = differences(await schemaAfter(BEFORE), defined, created);
    assert.deepEqual([...steps.keys()], ["a-b"]);
  });
});
