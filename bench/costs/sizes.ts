import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DataKind, dataSet } from "../data-set.ts";
import type { Options } from "../options.ts";
import type { Size } from "./cost.ts";

/** Kinds of rows that fill a data set alone. */
const KINDS: readonly DataKind[] = ["groups", "tags", "advisories", "audit"];

/** Bytes of each kind, with all tables and indexes that it needs. */
export async function measureSizes({ sizes }: Options): Promise<Size[]> {
  const measured: Size[] = [];
  for (const kind of KINDS) {
    using database = await open(sizes.medium, kind);
    measured.push({ kind, rows: sizes.medium, bytes: bytesOf(database, "true") });
  }
  // Role bindings have groups beside them.
  using database = await open(sizes.medium, "bindings");
  const rows = Number(database.prepare("SELECT count(*) AS rows FROM role_bindings").get()?.rows);
  const bytes = bytesOf(database, "tbl_name = 'role_bindings'");
  return [...measured, { kind: "role bindings", rows, bytes }];
}

async function open(count: number, kind: DataKind): Promise<DatabaseSync> {
  return new DatabaseSync(join(await dataSet(count, kind), "wharf.db"), { readOnly: true });
}

function bytesOf(database: DatabaseSync, condition: string): number {
  const names = `SELECT name FROM sqlite_master WHERE ${condition}`;
  const sql = `SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (${names})`;
  return Number(database.prepare(sql).get()?.bytes);
}
