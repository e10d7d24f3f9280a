import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import { migrations } from "@wharf/server/store/db/migrations.ts";
import { openSqlite } from "@wharf/server/store/db/sqlite.ts";
import { ORGANISATION } from "./organisation.ts";

const FILL = join(import.meta.dirname, "fill.ts");
const ADVISORIES = join(import.meta.dirname, "advisory-rows.ts");

/** Filled databases are kept from run to run: a million rows take a minute to make. */
const KEPT = join(tmpdir(), "wharf-bench");

/**
 * A data directory with so many groups, or advisories, below the organisation, made if need be.
 * Servers may run on it, but nobody may create or delete anything in it.
 *
 * @example const data = await dataSet(100_000);
 */
export async function dataSet(
  count: number,
  kind: "groups" | "advisories" = "groups",
): Promise<string> {
  const end = `-${kind}-${count}`;
  const folder = join(KEPT, `${schemaDigest()}${end}`);
  if (existsSync(folder)) return folder;
  mkdirSync(KEPT, { recursive: true, mode: 0o700 });
  forgetOthers(end);
  console.error(`filling a database with ${count.toLocaleString("en")} ${kind} …`);
  const scratch = mkdtempSync(join(KEPT, "filling-"));
  try {
    await promisify(execFile)(process.execPath, [FILL, scratch, String(count), kind]);
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/** Databases of an earlier shape are of no use, and a gigabyte each. */
function forgetOthers(end: string): void {
  for (const name of readdirSync(KEPT)) {
    if (name.endsWith(end)) rmSync(join(KEPT, name), { recursive: true, force: true });
  }
}

/** A data directory of its own, for as long as it is needed. */
export class ScratchData implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "wharf-bench-scratch-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Changes with whatever makes stored rows differ: tables, encodings, and the filling itself. */
function schemaDigest(): string {
  using scratch = new ScratchData();
  const { dialect, close } = openSqlite(join(scratch.path, "wharf.db"));
  const parts: unknown[] = [migrations(dialect)];
  parts.push(...[FILL, ADVISORIES].map((file) => readFileSync(file, "utf8")));
  for (const { table, encoding } of Object.values(RESOURCES)) {
    parts.push(table.schema(dialect), encoding);
  }
  void close();
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}

/**
 * What the store itself says comes at a place in the order of names; what answers are held against.
 *
 * @example const names = namesAt(data, 0, 50);
 */
export function namesAt(data: string, offset: number, limit: number): string[] {
  const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const rows = database
    .prepare("SELECT name FROM groups WHERE parent = ? ORDER BY name, id LIMIT ? OFFSET ?")
    .all(ORGANISATION, limit, offset);
  database.close();
  return rows.map((row) => String(row.name));
}

/** Uids of some groups of a data set, spread over all of it, whose answers are equally long. */
export function someUids(data: string, count: number): string[] {
  const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const rows = database
    .prepare("SELECT uid, length(data) AS bytes FROM groups WHERE parent = ? AND id % ? = 0")
    .all(ORGANISATION, everySoMany(database, count));
  database.close();
  const longest = Math.max(...rows.map((row) => Number(row.bytes)));
  const alike = rows.filter((row) => row.bytes === longest).map((row) => String(row.uid));
  return alike.slice(0, count);
}

/** One row in so many gives twice the count, which leaves room to choose among them. */
function everySoMany(database: DatabaseSync, count: number): number {
  const last = database.prepare("SELECT max(id) AS id FROM groups").get()?.id as number;
  return Math.max(1, Math.floor(last / (2 * count)));
}
