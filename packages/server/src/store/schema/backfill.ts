import type { MigrationSession } from "./migration-session.ts";
import type { FilledTable } from "./schema.ts";

/**
 * Computes a column from the `data` of each row, in transactions of a bounded number of rows. Writes only what differs,
 * so that a second run after an interruption is fast.
 */
export async function backfill(
  migration: MigrationSession,
  table: FilledTable,
  column: string,
): Promise<void> {
  const { session, limits, log } = migration;
  const { name } = table;
  const last = await session.get<{ id: number | null }>(`SELECT max(id) AS id FROM ${name}`);
  const end = last?.id ?? 0;
  let reported = performance.now();
  for (let after = 0; after < end; ) {
    after = (await fillBatch(migration, table, column, after)) ?? end;
    if (performance.now() - reported < limits.progressMs) continue;
    reported = performance.now();
    const percent = Math.floor((100 * after) / end);
    log.info(
      { table: name, column, percent },
      `upgrade of the store: ${name} is ${percent} % filled`,
    );
  }
}

/** Fills the rows after an id; returns the id of the last one, or undefined at the end. */
function fillBatch(
  migration: MigrationSession,
  { name, filterColumns, filtersOf }: FilledTable,
  column: string,
  after: number,
): Promise<number | undefined> {
  const { session, limits } = migration;
  const { dialect } = session;
  const select = `SELECT id, data, ${column} AS value FROM ${name} WHERE id > ? ORDER BY id LIMIT ? ${dialect.lock}`;
  return migration.transaction(`filling ${name}`, async () => {
    const rows = await session.all<{ id: number; data: Uint8Array; value: string | number }>(
      select,
      after,
      limits.batchSize,
    );
    const changed = rows.flatMap(({ id, data, value: stored }) => {
      const value = filtersOf?.(data)[column];
      return value === undefined || stored === value ? [] : [[id, value]];
    });
    if (changed.length > 0) {
      const isText = filterColumns.find((one) => one.name === column)?.type === "text";
      const value = isText ? "value" : dialect.asInteger("value");
      await session.run(
        `UPDATE ${name} SET ${column} = given.value FROM
           (SELECT ${dialect.asInteger("id")} AS id, ${value} AS value
            FROM (${dialect.tuples("id", "value")}) all_given) given
         WHERE ${name}.id = given.id`,
        JSON.stringify(changed),
      );
    }
    return rows.length < limits.batchSize ? undefined : rows.at(-1)?.id;
  });
}
