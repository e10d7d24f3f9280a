import type { Reader } from "../db/connection.ts";
import type { MigrationSession } from "./migration-session.ts";
import { createOnline } from "./statements.ts";

/**
 * Builds an index of a table in use. It replaces one of its name: an earlier form, or the invalid index that an
 * interrupted build leaves on PostgreSQL.
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
  const what = `building index ${index}`;
  const create = createOnline(sql, session.dialect);
  if (session.dialect.name === "sqlite") {
    const replace = `DROP INDEX IF EXISTS ${index}; ${create}`;
    await migration.transaction(what, () => session.script(replace));
  } else {
    const stopReporting = reportBuild(migration, observer, index);
    try {
      await migration.retry(what, async () => {
        await session.script(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
        await session.script(create);
      });
    } finally {
      stopReporting();
    }
  }
  const ms = Math.round(performance.now() - began);
  log.info({ index, ms }, `upgrade of the store: built index ${index} in ${ms} ms`);
}

/** Logs how far PostgreSQL is. */
function reportBuild(
  { log, limits }: MigrationSession,
  observer: Reader,
  index: string,
): () => void {
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
