import type { Dialect, Value } from "../connection.ts";

/** Target of an insert: a table, and columns in the order of the values. */
export interface InsertTarget {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

export type ColumnType = "text" | "integer" | "blob";

/** Executor of an insert. */
interface Sender {
  readonly dialect: Dialect;
  send(sql: string, ...params: Value[]): Promise<void>;
}

/** Inserts rows in their order, with as few statements as the dialect allows, which do not wait for each other. */
export async function insertRows(
  writer: Sender,
  target: InsertTarget,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const inserts = inSizes(writer.dialect, rows).map((some) =>
    writer.send(insertOf(target, some.length), ...some.flat()),
  );
  await Promise.all(inserts);
}

/** Divides rows into the sizes of statements. */
export function inSizes<R>({ rowCounts }: Dialect, rows: readonly R[]): R[][] {
  const parts: R[][] = [];
  let at = 0;
  for (const size of rowCounts) {
    for (; at + size <= rows.length; at += size) parts.push(rows.slice(at, at + size));
  }
  return parts;
}

/** INSERT statements by row count; 0 is INSERT … ON CONFLICT DO NOTHING. */
const statements = new Map<InsertTarget, string[]>();

/** The statement that inserts this many rows. */
export function insertOf(target: InsertTarget, rows: number): string {
  const cached = statementsOf(target);
  cached[rows] ??= newInsert(target, rows);
  return cached[rows];
}

/** The statement that inserts a row, or changes nothing if its key exists. */
export function insertUnlessThere(target: InsertTarget): string {
  const cached = statementsOf(target);
  cached[0] ??= `${newInsert(target, 1)} ON CONFLICT DO NOTHING`;
  return cached[0];
}

function statementsOf(target: InsertTarget): string[] {
  let cached = statements.get(target);
  if (cached === undefined) {
    cached = [];
    statements.set(target, cached);
  }
  return cached;
}

/** PostgreSQL infers the types of a single row only; those of several rows are those of the first one. */
export const SQL_TYPES = { text: "TEXT", integer: "BIGINT", blob: "BYTEA" } as const;

function newInsert({ table, columns }: InsertTarget, rows: number): string {
  const first = Object.values(columns).map((type) =>
    rows === 1 ? "?" : `CAST(? AS ${SQL_TYPES[type]})`,
  );
  const others = Array(rows - 1).fill(first.map(() => "?"));
  const values = [first, ...others].map((row) => `(${row.join(", ")})`);
  return `INSERT INTO ${table} (${Object.keys(columns).join(", ")}) VALUES ${values.join(", ")}`;
}
