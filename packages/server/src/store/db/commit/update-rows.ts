import { type ColumnType, SQL_TYPES } from "./insert-rows.ts";

/** Target of an update: a table, and columns in the order of the values. The last one is the primary key. */
export interface UpdateTarget {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** By their number of rows. */
const statements = new Map<UpdateTarget, string[]>();

/** The statement that updates this many rows, each with another key. */
export function updateOf(target: UpdateTarget, rows: number): string {
  const cached = statements.get(target) ?? [];
  statements.set(target, cached);
  cached[rows] ??= newUpdate(target, rows);
  return cached[rows];
}

function newUpdate({ table, columns }: UpdateTarget, rows: number): string {
  const names = Object.keys(columns);
  const key = names.at(-1);
  const set = (setTo: (name: string) => string) =>
    `UPDATE ${table} SET ${names.slice(0, -1).map((name) => `${name} = ${setTo(name)}`)}`;
  if (rows === 1) return `${set(() => "?")} WHERE ${key} = ?`;
  // PostgreSQL takes the types of all rows from the first one.
  const first = Object.values(columns).map((type) => `CAST(? AS ${SQL_TYPES[type]})`);
  const others = Array(rows - 1).fill(names.map(() => "?"));
  return `${set((name) => `given.${name}`)}
    FROM (VALUES ${[first, ...others].map((row) => `(${row})`)}) AS given (${names})
    WHERE ${table}.${key} = given.${key}`;
}
