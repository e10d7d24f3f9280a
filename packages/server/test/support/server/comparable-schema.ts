import { RESOURCES } from "../../../src/app/resources.ts";
import type { Reader } from "../../../src/store/db/connection.ts";
import { migrations } from "../../../src/store/db/migrations.ts";
import { readSchema } from "../../../src/store/schema/read-schema.ts";
import { isTableStep } from "../../../src/store/schema/step.ts";

/**
 * The schema of a store, in a form that is the same for a new store and an upgraded one. Columns that
 * a step has added to the table of a resource keep a default, which a new table has not; columns that a
 * release has retired stay in PostgreSQL until the next one drops them.
 */
export async function comparableSchema(reader: Reader): Promise<Record<string, object>> {
  const derived = new Map(
    Object.values(RESOURCES).flatMap(({ table }) =>
      table.schema(reader.dialect).map((schema) => [schema.name, schema] as const),
    ),
  );
  const retired = retiredColumns(reader);
  const tables = [...(await readSchema(reader))].map(
    ([table, { columns, indexes, constraints }]) => {
      const isRetired = (column: string) => retired.has(`${table}.${column}`);
      const isAdded = (column: string) =>
        derived
          .get(table)
          ?.columns.some(({ name, initial }) => name === column && initial !== undefined);
      const kept = [...columns].filter(([column]) => !isRetired(column));
      const described = {
        columns: Object.fromEntries(
          kept.map(([name, column]) => [
            name,
            isAdded(name) ? { ...column, initial: undefined } : column,
          ]),
        ),
        indexes: Object.fromEntries(
          [...indexes].filter(([, index]) => !index.columns.some(isRetired)),
        ),
        constraints,
      };
      return [table, described] as const;
    },
  );
  return Object.fromEntries(tables);
}

/** The columns that steps have retired and no step has dropped yet, as table.column. */
function retiredColumns({ dialect }: Reader): ReadonlySet<string> {
  const retired = new Set<string>();
  for (const step of migrations(dialect).filter(isTableStep)) {
    for (const column of step.retire ?? []) retired.add(`${step.table}.${column}`);
    for (const column of step.drop ?? []) retired.delete(`${step.table}.${column}`);
  }
  return retired;
}
