import type { MigrationSession } from "./migration-session.ts";
import type { TableSchema } from "./table-schema.ts";

/**
 * Computes columns again from the `data` of each row, in transactions of a bounded number of rows. Writes
 * only what differs, so that a second run after an interruption is fast.
 */
export async function backfill(
  migration: MigrationSession,
  table: TableSchema,
  columns: readonly string[],
): Promise<void> {
  const { session, limits, log } = migration;
  const last = await session.get<{ id: number | null }>(`SELECT max(id) AS id FROM ${table.name}`);
  const end = last?.id ?? 0;
  let reported = performance.now();
  for (let after = 0; after < end; ) {
    after = (await fillBatch(migration, table, columns, after)) ?? end;
    if (performance.now() - reported < limits.progressMs) continue;
    reported = performance.now();
    const percent = Math.floor((100 * after) / end);
    log.info(
      { table: table.name, columns, percent },
      `upgrade of the store: ${table.name} is ${percent} % filled`,
    );
  }
}

/** Fills the rows after an id; returns the id of the last one, or undefined at the end. */
function fillBatch(
  migration: MigrationSession,
  { name, columns: definitions, valuesOf }: TableSchema,
  columns: readonly string[],
  after: number,
): Promise<number | undefined> {
  const { session, limits } = migration;
  const { dialect } = session;
  const select = `SELECT id, data, ${columns.join(", ")} FROM ${name} WHERE id > ? ORDER BY id LIMIT ? ${dialect.lock}`;
  return migration.transaction(`filling ${name}`, async () => {
    const rows = await session.all<{ id: number; data: Uint8Array; [column: string]: unknown }>(
      select,
      after,
      limits.batchSize,
    );
    for (const column of columns) {
      const changed = rows.flatMap((row) => {
        const value = valuesOf?.(row.data)[column];
        return value === undefined || row[column] === value ? [] : [[row.id, value]];
      });
      if (changed.length === 0) continue;
      const isText = definitions.find((one) => one.name === column)?.initial === "''";
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
