import { RESOURCES } from "../../../src/app/resources.ts";
import type { Reader } from "../../../src/store/db/connection.ts";
import { readSchema } from "../../../src/store/schema/read-schema.ts";

/**
 * The schema of a store, in a form that is the same for a new store and an upgraded one. Columns that a step has added to
 * the table of a resource have a default, which those of new tables need not have.
 */
export async function comparableSchema(reader: Reader): Promise<Record<string, object>> {
  const added = new Set(
    Object.values(RESOURCES).flatMap(({ table: { shape } }) =>
      shape.filterColumns.map(({ name }) => `${shape.name}.${name}`),
    ),
  );
  const tables = [...(await readSchema(reader))].map(
    ([table, { columns, indexes, constraints }]) => {
      const compared = [...columns].map(([name, column]) => [
        name,
        added.has(`${table}.${name}`) ? { ...column, initial: undefined } : column,
      ]);
      return [
        table,
        {
          columns: Object.fromEntries(compared),
          indexes: Object.fromEntries(indexes),
          constraints,
        },
      ];
    },
  );
  return Object.fromEntries(tables);
}
