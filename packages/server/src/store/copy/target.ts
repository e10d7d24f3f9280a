import type { Reader, Session, Value, Writer } from "../db/connection.ts";
import { SqliteConnection } from "../db/sqlite/connection.ts";
import { type CopiedTable, quoted } from "./copied-table.ts";
import { openSession, postgresRows, type RowBatches, sqliteRows } from "./snapshot.ts";

/** A new store that is being filled. Nobody sees it before `commit`, and `abandon` leaves nothing. */
export interface Target {
  readonly reader: Reader;
  readonly writer: Writer;
  script(statements: readonly string[]): Promise<void>;
  insert(table: CopiedTable, rows: readonly (readonly Value[])[]): Promise<void>;
  /** Inserted rows, for comparison. */
  rows(table: CopiedTable): RowBatches;
  /** Numbers of new rows follow those of the copied ones, and these. */
  continueNumbers(
    tables: readonly CopiedTable[],
    last: Readonly<Record<string, number>>,
  ): Promise<void>;
  commit(): Promise<void>;
  abandon(): Promise<void>;
}

/** A file that does not have its final name yet: nothing is lost if it is incomplete. */
export function openSqliteTarget(path: string): Target {
  const connection = new SqliteConnection(path, false);
  connection.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  return {
    reader: connection,
    writer: connection,
    script: async (statements) => {
      for (const sql of statements) connection.exec(sql);
    },
    insert: async ({ name, columns }, rows) => {
      const names = columns.map((column) => quoted(column.name)).join(", ");
      const places = columns.map(() => "?").join(", ");
      const sql = `INSERT INTO ${quoted(name)} (${names}) VALUES (${places})`;
      for (const row of rows) await connection.run(sql, ...row);
    },
    rows: (table) => sqliteRows(connection, table),
    // The next number is one more than the highest.
    continueNumbers: async () => {},
    commit: async () => {
      connection.exec("COMMIT");
      connection.close();
    },
    abandon: async () => connection.close(),
  };
}

/** Target in PostgreSQL, filled in a single transaction. */
export async function openPostgresTarget(url: string): Promise<Target> {
  const { session, close } = await openSession(url);
  await session.script("BEGIN");
  return {
    reader: session,
    writer: session,
    script: async (statements) => {
      for (const sql of statements) await session.script(sql);
    },
    insert: (table, rows) => insertJson(session, table, rows),
    rows: (table) => postgresRows(session, table),
    continueNumbers: (tables, last) => setSequences(session, tables, last),
    commit: async () => {
      await session.script("COMMIT");
      await close();
    },
    abandon: async () => {
      await session.script("ROLLBACK").catch(() => {});
      await close();
    },
  };
}

/** Inserts all rows by a single statement with a single parameter; the table has the types. */
async function insertJson(
  session: Session,
  { name, columns }: CopiedTable,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const names = columns.map((column) => quoted(column.name)).join(", ");
  const values = rows.map((row) =>
    Object.fromEntries(columns.map((column, at) => [column.name, jsonValue(row[at] ?? null)])),
  );
  await session.run(
    `INSERT INTO ${quoted(name)} (${names})
     SELECT ${names} FROM json_populate_recordset(NULL::${quoted(name)}, ?)`,
    JSON.stringify(values),
  );
}

function jsonValue(value: Value): string | number | null {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}

async function setSequences(
  session: Session,
  tables: readonly CopiedTable[],
  last: Readonly<Record<string, number>>,
): Promise<void> {
  for (const { name } of tables) {
    const sequence = await session.get<{ name: string | null }>(
      `SELECT (SELECT pg_get_serial_sequence(quote_ident(t.relname), a.attname)) AS name
       FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attidentity <> ''
       WHERE t.relname = ? AND t.relnamespace = current_schema()::regnamespace`,
      name,
    );
    if (!sequence?.name) continue;
    await session.run(
      `SELECT setval(?::regclass, n) FROM (
         SELECT greatest(max(id), ?::bigint) AS n FROM ${quoted(name)}) found WHERE n > 0`,
      sequence.name,
      last[name] ?? 0,
    );
  }
}
