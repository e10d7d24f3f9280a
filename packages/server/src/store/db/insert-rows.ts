import type { Value, Writer } from "./connection.ts";

/** Inserts rows in their order, with as few statements as the dialect allows, which do not wait for each other. */
export async function insertRows(
  writer: Writer,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const inserts: Promise<unknown>[] = [];
  let at = 0;
  for (const size of writer.dialect.insertSizes) {
    for (; at + size <= rows.length; at += size) {
      inserts.push(writer.run(insertOf(table, columns, size), ...rows.slice(at, at + size).flat()));
    }
  }
  await Promise.all(inserts);
}

/** The statement that inserts this many rows. */
export function insertOf(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array(rows).fill(row).join(", ")}`;
}
