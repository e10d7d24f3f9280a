import type { Reader } from "../db/connection.ts";
import type { MigrationSession } from "./migration-session.ts";
import { buildIndexSql } from "./step.ts";

/**
 * Builds an index of a table in use. On PostgreSQL an interrupted build leaves an invalid index, which is
 * dropped and built again.
 */
export async function buildIndex(
  migration: MigrationSession,
  observer: Reader,
  index: string,
  sql: string,
): Promise<void> {
  const { session, log } = migration;
  const began = performance.now();
  log.info({ index }, `upgrade of the store: building index ${index}`);
  const stopReporting = reportBuild(migration, observer, index);
  try {
    await migration.retry(`building index ${index}`, async () => {
      if (await isInvalid(session, index)) await dropIndex(migration, index);
      await session.script(buildIndexSql(sql, session.dialect));
    });
  } finally {
    stopReporting();
  }
  const ms = Math.round(performance.now() - began);
  log.info({ index, ms }, `upgrade of the store: built index ${index} in ${ms} ms`);
}

export async function dropIndex({ session }: MigrationSession, index: string): Promise<void> {
  const how = session.dialect.name === "postgres" ? "CONCURRENTLY" : "";
  await session.script(`DROP INDEX ${how} IF EXISTS ${index}`);
}

async function isInvalid(reader: Reader, index: string): Promise<boolean> {
  if (reader.dialect.name === "sqlite") return false;
  const sql = `SELECT 1 AS one FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relname = ? AND c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid`;
  return (await reader.get(sql, index)) !== undefined;
}

/** Logs how far PostgreSQL is; SQLite builds without a pause. */
function reportBuild(
  { log, limits }: MigrationSession,
  observer: Reader,
  index: string,
): () => void {
  if (observer.dialect.name === "sqlite") return () => {};
  const report = async () => {
    const sql = `SELECT p.phase, p.blocks_done, p.blocks_total FROM pg_stat_progress_create_index p
      JOIN pg_class c ON c.oid = p.index_relid WHERE c.relname = ?`;
    const progress = await observer.get(sql, index);
    if (progress !== undefined)
      log.info({ index, ...progress }, `upgrade of the store: building index ${index}`);
  };
  const timer = setInterval(() => void report().catch(() => {}), limits.progressMs);
  return () => clearInterval(timer);
}
