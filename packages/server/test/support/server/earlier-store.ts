import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import type { Driver } from "../../../src/store/db/connection.ts";
import { translateTypes } from "../../../src/store/schema/statements.ts";
import { FIXTURES } from "./store-fixture.ts";

/** The last step of the earliest version with a stored fixture. */
const STEP = 5;

/** Creates the tables of the earliest version, without rows of its own, in the transaction that is open. */
export async function createEarlierStore({ writer, dialect }: Driver): Promise<void> {
  const content = gunzipSync(readFileSync(join(FIXTURES, `0.1.0-dev.${STEP}`, "sqlite.gz")));
  const fixture = new DatabaseSync(":memory:");
  fixture.deserialize(content);
  const created = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
  for (const { sql } of fixture.prepare(created).all())
    await writer.run(translateTypes(String(sql), dialect));
  fixture.close();
  await writer.run("INSERT INTO access_version (version) VALUES (1)");
  for (let step = 1; step <= STEP; step++)
    await writer.run("INSERT INTO migrations (step) VALUES (?)", step);
}
