import { openSource, type StoreLocation } from "../../../src/app/backup/store-source.ts";
import { rowText } from "../../../src/store/copy/copied-table.ts";

/** Every row of a store as text, by table. `columns` are left out: those of one database only. */
export async function storeRows(
  location: StoreLocation,
  without: readonly string[] = [],
): Promise<Record<string, string[]>> {
  const { snapshot, tables } = await openSource(location);
  try {
    const all: Record<string, string[]> = {};
    for (const table of tables) {
      const columns = table.columns.filter(
        ({ name }) => !without.includes(`${table.name}.${name}`),
      );
      const rows: string[] = [];
      for await (const batch of snapshot.rows({ ...table, columns }))
        rows.push(...batch.map(rowText));
      all[table.name] = rows;
    }
    return all;
  } finally {
    await snapshot.close();
  }
}
