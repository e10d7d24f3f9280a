import type { Driver } from "../db/connection.ts";
import { Migration } from "./migration.ts";
import { withMigrationLock } from "./migration-lock.ts";
import {
  MIGRATION_LIMITS,
  type MigrationLimits,
  type MigrationLog,
  MigrationSession,
} from "./migration-session.ts";
import { readSchema, type StoredSchema } from "./read-schema.ts";
import { lastStep, type Records, readRecords, recordStep, upgradeRecords } from "./records.ts";
import type { Schema } from "./schema.ts";
import { foreignStore, newerStore, unrecordedStore } from "./store-errors.ts";

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
function isCurrent(records: Records | undefined, { last }: Schema): boolean {
  if (records === undefined) return false;
  if (records.step > last) throw newerStore(records, last);
  return records.step === last && records.pending === "";
}

/**
 * Creates all tables in one transaction. Returns false if another process has created them meanwhile, which only happens
 * on SQLite.
 */
function createStore(migration: MigrationSession, schema: Schema): Promise<boolean> {
  const { session } = migration;
  return migration.transaction("creating the store", async () => {
    const stored = await readSchema(session);
    if (stored.has("migrations")) return false;
    checkUnused(stored, schema, session.dialect.name === "sqlite");
    await session.script(schema.creation().join(";\n"));
    await recordStep(session, schema.last, { version: schema.version, pending: "" });
    return true;
  });
}

/** A SQLite file is ours alone; a schema of PostgreSQL may have tables of others, with other names. */
function checkUnused(stored: StoredSchema, schema: Schema, isOwn: boolean): void {
  const taken = schema.tableNames().filter((table) => stored.has(table));
  if (taken.length > 0) throw unrecordedStore(taken);
  if (isOwn && stored.size > 0) throw foreignStore([...stored.keys()]);
}

/** The records of a store; those of the earliest versions are upgraded first. */
async function currentRecords(
  migration: MigrationSession,
  { last }: Schema,
  stored: StoredSchema,
): Promise<Records> {
  const { session } = migration;
  if (!stored.get("migrations")?.columns.has("step")) throw foreignStore(["migrations"]);
  const records = await readRecords(session);
  const step = records?.step ?? (await lastStep(session));
  if (step > last) throw newerStore({ step, version: records?.version ?? "" }, last);
  if (records !== undefined) return records;
  return migration.transaction("recording versions", async () => {
    const columns = (await readSchema(session)).get("migrations")?.columns;
    if (!columns?.has("pending")) await upgradeRecords(session);
    return (await readRecords(session)) as Records;
  });
}
