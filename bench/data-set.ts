import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
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
import { SQL_FILES } from "@wharf/server/store/schema/sql-files.ts";
import { ORGANIZATION } from "./organization.ts";

const FILL = join(import.meta.dirname, "fill.ts");
const FILL_AUDIT = join(import.meta.dirname, "fill-audit.ts");
const FILL_EXPOSURE = join(import.meta.dirname, "fill-exposure.ts");
const ROWS = [
  "advisory-rows.ts",
  "binding-rows.ts",
  "exposure-data.ts",
  "random.ts",
  "tag-rows.ts",
  "tree-rows.ts",
].map((name) => join(import.meta.dirname, name));

/** The cache of data sets: a million rows take a minute to create. */
const CACHE = join(tmpdir(), "wharf-bench");

/** The rows of a data set. */
export type DataKind =
  | "groups"
  | "advisories"
  | "bindings"
  | "tree"
  | "audit"
  | "tags"
  | "exposure";

/** Programs of kinds that the one for resources does not fill. */
const PROGRAMS: Partial<Record<DataKind, string>> = { audit: FILL_AUDIT, exposure: FILL_EXPOSURE };

/**
 * A data directory with this many groups, advisories, tags, audit entries, images with packages, or groups with scattered role bindings in
 * the organization, created on first use. Servers can run on it, but must not create or delete anything in it.
 */
export async function dataSet(count: number, kind: DataKind = "groups"): Promise<string> {
  const end = `-${kind}-${count}`;
  const folder = join(CACHE, `${schemaDigest()}${end}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  deleteStale(end);
  console.error(`filling a database with ${count.toLocaleString("en")} ${kind} …`);
  const scratch = mkdtempSync(join(CACHE, "filling-"));
  try {
    const program = PROGRAMS[kind] ?? FILL;
    await promisify(execFile)(process.execPath, [program, scratch, String(count), kind]);
    // Another run may have created the same meanwhile.
    if (!existsSync(folder)) renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/** Deletes data sets of an earlier schema: they are a gigabyte each. */
function deleteStale(end: string): void {
  for (const name of readdirSync(CACHE)) {
    if (name.endsWith(end)) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

/** A temporary data directory. */
export class ScratchData implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "wharf-bench-scratch-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A copy of a data directory that no server has open; the copy may be changed. */
export function copyOf(data: string): ScratchData {
  const scratch = new ScratchData();
  cpSync(data, scratch.path, { recursive: true });
  return scratch;
}

/** Changes with everything that affects stored rows: tables, encodings, and the code that fills them. */
function schemaDigest(): string {
  const inputs: unknown[] = [SQL_FILES];
  inputs.push(
    ...[FILL, FILL_AUDIT, FILL_EXPOSURE, ...ROWS].map((file) => readFileSync(file, "utf8")),
  );
  for (const { table, encoding } of Object.values(RESOURCES)) {
    inputs.push(table.statements(), encoding);
  }
  return createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 12);
}

/** The names at an offset in the order of names, read from the database: the expected response. */
export function namesAt(data: string, offset: number, limit: number): string[] {
  const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const rows = database
    .prepare("SELECT name FROM groups WHERE parent = ? ORDER BY name, id LIMIT ? OFFSET ?")
    .all(ORGANIZATION, limit, offset);
  database.close();
  return rows.map((row) => String(row.name));
}

/** UIDs of groups spread over a data set whose responses have the same length. */
export function someUids(data: string, count: number): string[] {
  const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const rows = database
    .prepare("SELECT uid, length(data) AS bytes FROM groups WHERE parent = ? AND id % ? = 0")
    .all(ORGANIZATION, strideFor(database, count));
  database.close();
  const longest = Math.max(...rows.map((row) => Number(row.bytes)));
  const sameLength = rows.filter((row) => row.bytes === longest).map((row) => String(row.uid));
  return sameLength.slice(0, count);
}

/** The stride that selects twice the count of rows, to choose rows of the same length from. */
function strideFor(database: DatabaseSync, count: number): number {
  const last = database.prepare("SELECT max(id) AS id FROM groups").get()?.id as number;
  return Math.max(1, Math.floor(last / (2 * count)));
}
