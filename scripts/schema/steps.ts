/**
 * Writes and checks the SQL steps of the tables of resources: the difference between what their definitions say and what
 * the steps before have created.
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Reader } from "../../packages/server/src/store/db/connection.ts";
import { ROOT, StepError } from "../step.ts";
import { differences, type Steps } from "./differences.ts";

const FOLDER = "packages/server/src/store/migrations";

/** Writes the steps that definitions need, and says which. */
export async function writeSteps(): Promise<void> {
  const { last, steps } = await missingSteps();
  let number = last;
  for (const [name, statements] of steps) {
    number++;
    const file = `${String(number).padStart(3, "0")}-${name.replaceAll("_", "-")}.sql`;
    const text = `-- From the definitions of resources.\n${statements.join("\n").trimEnd()}\n`;
    writeFileSync(join(ROOT, FOLDER, file), text);
    console.log(`wrote ${basename(file)}: read it, then commit it`);
  }
}

/** Fails if a definition differs from what the steps create. */
export async function stepsAreComplete(): Promise<void> {
  const { steps } = await missingSteps();
  if (steps.size === 0) return;
  const tables = [...steps.keys()].join(", ");
  throw new StepError(
    `no step for the definition of ${tables}: run npm run generate, and commit it`,
  );
}

/** Compares two databases in memory: one created by the steps, one by the definitions. */
async function missingSteps(): Promise<{ last: number; steps: Steps }> {
  const server = "../../packages/server/src";
  const { RESOURCES } = await import(`${server}/app/resources.ts`);
  const { DIALECT } = await import(`${server}/store/db/sqlite/dialect.ts`);
  const { Schema } = await import(`${server}/store/schema/schema.ts`);
  const { SQL_FILES } = await import(`${server}/store/schema/sql-files.ts`);
  const { readSchema } = await import(`${server}/store/schema/read-schema.ts`);
  const schema = new Schema({ version: "", files: SQL_FILES, tables: [] }, DIALECT);
  const statements: string[] = (
    Object.values(RESOURCES) as { table: { statements(): string[] } }[]
  ).flatMap(({ table }) => table.statements());
  const schemaAfter = (script: readonly string[]) => {
    const database = new DatabaseSync(":memory:");
    database.exec(script.join(";\n"));
    const reader = { dialect: DIALECT, all: async (sql: string) => database.prepare(sql).all() };
    return readSchema(reader as unknown as Reader);
  };
  const created = Map.groupBy(
    statements.map((sql) => `${sql};`),
    (sql) => /^CREATE TABLE (\w+)| ON (\w+)/.exec(sql)?.slice(1).find(Boolean) ?? "",
  );
  const stored = await schemaAfter(schema.creation());
  return { last: schema.last, steps: differences(stored, await schemaAfter(statements), created) };
}
