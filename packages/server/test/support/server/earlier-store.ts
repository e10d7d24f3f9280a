import type { Driver } from "../../../src/store/db/connection.ts";
import { migrations } from "../../../src/store/db/migrations.ts";

/** Creates the tables of a version that knew only the first steps, in the transaction that is open. */
export async function createEarlierStore(
  { writer, dialect }: Driver,
  steps: number,
): Promise<void> {
  await writer.run(`CREATE TABLE migrations (step ${dialect.integer} PRIMARY KEY)`);
  for (const [at, step] of migrations(dialect).slice(0, steps).entries()) {
    for (const sql of step as readonly string[]) await writer.run(sql);
    await writer.run("INSERT INTO migrations (step) VALUES (?)", at + 1);
  }
}
