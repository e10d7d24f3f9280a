import type { Dialect, Driver, Writer } from "../db/connection.ts";
import { createStatements, Migration, type Schema } from "./migration.ts";
import { withMigrationLock } from "./migration-lock.ts";
import {
  MIGRATION_LIMITS,
  type MigrationLimits,
  type MigrationLog,
  MigrationSession,
} from "./migration-session.ts";
import { readSchema, type StoredSchema, type StoredTable } from "./read-schema.ts";
import {
  createRecords,
  lastStep,
  type Records,
  readRecords,
  recordDigests,
  recordSteps,
  upgradeRecords,
} from "./records.ts";
import { isTableStep } from "./step.ts";
import { foreignStore, newerStore, unrecordedStore } from "./store-errors.ts";
import { digestOf } from "./table-schema.ts";

export interface MigrationOptions {
  readonly log?: MigrationLog;
  readonly limits?: Partial<MigrationLimits>;
}

/**
 * Brings a store to the schema of this version. The usual start finds it current with one statement. Of
 * replicas that start together one migrates; the others wait for it.
 */
export async function migrate(
  driver: Driver,
  schema: Schema,
  { log = { info() {} }, limits = {} }: MigrationOptions,
): Promise<void> {
  if (isCurrent(await readRecords(driver.reader), schema)) return;
  const session = await driver.openSession();
  const migration = new MigrationSession(driver, session, log, { ...MIGRATION_LIMITS, ...limits });
  const isDone = async () => isCurrent(await readRecords(session), schema);
  try {
    await withMigrationLock(driver, migration, isDone, () => upgrade(driver, migration, schema));
  } finally {
    await session.close();
  }
}

async function upgrade(driver: Driver, migration: MigrationSession, schema: Schema): Promise<void> {
  const { session } = migration;
  const isNew = !(await readSchema(session)).has("migrations");
  if (isNew && (await createStore(migration, schema))) return;
  const stored = await readSchema(session);
  const records = await currentRecords(migration, schema, stored);
  await new Migration(migration, driver.reader, schema, stored).run(records);
}

/** Throws if a newer version has migrated the store. */
function isCurrent(records: Records | undefined, { steps, tables }: Schema): boolean {
  if (records === undefined) return false;
  if (records.step > steps.length) throw newerStore(records, steps.length);
  return (
    records.step === steps.length &&
    records.pending === "" &&
    tables.every((table) => records.digests.get(table.name) === digestOf(table))
  );
}

/**
 * Creates all tables in one transaction: no step has rows to change. Returns false if another process has
 * created them meanwhile, which only happens on SQLite.
 */
function createStore(migration: MigrationSession, schema: Schema): Promise<boolean> {
  const { session } = migration;
  const { dialect } = session;
  return migration.transaction("creating the store", async () => {
    const stored = await readSchema(session);
    if (stored.has("migrations")) return false;
    const statements = creationStatements(schema, dialect);
    checkUnused(stored, statements, dialect.name === "sqlite");
    await session.script(statements.join(";\n"));
    await recordCreation(session, schema);
    return true;
  });
}

/** The statements that create all tables, with the rows that a store begins with. */
export function creationStatements({ steps, tables }: Schema, dialect: Dialect): string[] {
  return [
    ...createRecords(dialect),
    ...steps.flatMap((step) =>
      isTableStep(step) ? [] : step.filter((statement) => typeof statement === "string"),
    ),
    ...createStatements(tables, dialect),
  ];
}

/** Records that a store has been created with this schema. */
export async function recordCreation(
  writer: Writer,
  { version, steps, tables }: Schema,
): Promise<void> {
  await recordSteps(writer, steps.length, version);
  await recordDigests(writer, tables);
}

/** The names of all tables that a store of this version, or of an earlier one, may have. */
export function tablesCreatedBy(statements: readonly string[]): string[] {
  return statements.flatMap((sql) => /^\s*CREATE TABLE (\w+)/.exec(sql)?.[1] ?? []);
}

/** A SQLite file is ours alone; a schema of PostgreSQL may have tables of others, with other names. */
function checkUnused(stored: StoredSchema, statements: readonly string[], isOwn: boolean): void {
  const taken = tablesCreatedBy(statements).filter((table) => stored.has(table));
  if (taken.length > 0) throw unrecordedStore(taken);
  if (isOwn && stored.size > 0) throw foreignStore([...stored.keys()]);
}

/** The records of a store; those of earlier versions are upgraded first. */
async function currentRecords(
  migration: MigrationSession,
  { steps }: Schema,
  stored: StoredSchema,
): Promise<Records> {
  const { session } = migration;
  if (!stored.get("migrations")?.columns.has("step")) throw foreignStore(["migrations"]);
  const known = await readRecords(session);
  const step = known?.step ?? (await lastStep(session));
  if (step > steps.length) throw newerStore({ step, version: known?.version ?? "" }, steps.length);
  if (known !== undefined) return known;
  return migration.transaction("recording versions", async () => {
    const { columns } = (await readSchema(session)).get("migrations") as StoredTable;
    if (!columns.has("pending")) {
      await session.script(upgradeRecords(session.dialect).join(";\n"));
    }
    return (await readRecords(session)) as Records;
  });
}
