/** Data sets in PostgreSQL: copies of those in SQLite. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { newDurableDatabase } from "../packages/server/test/support/server/postgres.ts";
import { dataSet } from "./data-set.ts";

/** Rows of one statement. */
const CHUNK = 500;

/** The databases that rows get copies of. */
const filled = new Map<number, Promise<string>>();

/** A new database that flushes its commits, with this many groups in the organization. */
export async function postgresDataSet(count: number): Promise<{ url: string; data: string }> {
  const data = await dataSet(count);
  const original = await (filled.get(count) ?? fill(count, data));
  return { url: await copyDatabase(original), data };
}

/** A copy of the files of a database takes seconds; inserting its rows takes much longer. */
async function copyDatabase(original: string): Promise<string> {
  const name = `bench_${randomBytes(8).toString("hex")}`;
  const admin = new URL(original);
  const [, template] = admin.pathname.split("/");
  admin.pathname = "/postgres";
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  await client.end();
  admin.pathname = `/${name}`;
  return admin.href;
}

function fill(count: number, data: string): Promise<string> {
  const filling = fillDatabase(data);
  filled.set(count, filling);
  return filling;
}

async function fillDatabase(data: string): Promise<string> {
  const url = await newDurableDatabase();
  const source = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const target = new pg.Client({ connectionString: url });
  await target.connect();
  await target.query("SET synchronous_commit = off");
  for (const table of ["groups", "counts"]) await copy(source, target, table);
  await target.query("SELECT setval(pg_get_serial_sequence('groups', 'id'), max(id)) FROM groups");
  await target.query("VACUUM ANALYZE groups, counts");
  await target.end();
  source.close();
  return url;
}

async function copy(source: DatabaseSync, target: pg.Client, table: string): Promise<void> {
  let rows: Record<string, unknown>[] = [];
  const flush = async () => {
    const columns = Object.keys(rows[0] ?? {});
    const marks = rows.map((_, row) => {
      return `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(", ")})`;
    });
    const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${marks.join(", ")} ON CONFLICT DO NOTHING`;
    const values = rows.flatMap((row) => Object.values(row));
    if (rows.length > 0) await target.query(sql, values);
    rows = [];
  };
  for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) {
    if (rows.push(row as Record<string, unknown>) === CHUNK) await flush();
  }
  await flush();
}
