import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * Uploads of blobs. An upload is a list of parts, each a file that is written once and never changed: a request that is
 * interrupted, or loses a race, leaves the upload as it was, in whichever process the next one arrives.
 */

/** A stored range of an upload. */
export interface Part {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Upload {
  readonly id: string;
  /** The name of the repository in the registry. */
  readonly path: string;
  /** The uid of the identity that began it: nobody else continues it. */
  readonly actor: string;
  readonly size: number;
  /** The number of its parts. */
  readonly parts: number;
}

export async function addUpload(
  tx: Transaction,
  { id, path, actor }: Pick<Upload, "id" | "path" | "actor">,
  now: number,
): Promise<void> {
  const sql = "INSERT INTO uploads (id, path, actor, touched, size) VALUES (?, ?, ?, ?, 0)";
  await tx.run(sql, id, path, actor, now);
}

export async function findUpload(reader: Reader, id: string): Promise<Upload | undefined> {
  const sql = `SELECT id, path, actor, size,
      coalesce((SELECT max(position) FROM upload_parts WHERE upload = id), 0) AS parts
    FROM uploads WHERE id = ?`;
  return reader.get<Upload>(sql, id);
}

/** The parts of an upload, in their order. */
export async function partsOf(reader: Reader, id: string): Promise<Part[]> {
  const sql = "SELECT name, size, sha256 FROM upload_parts WHERE upload = ? ORDER BY position";
  return reader.all<Part>(sql, id);
}

/** Appends a part. Returns false if another request has changed the upload since it was read. */
export async function appendPart(
  tx: Transaction,
  { id, size, parts }: Upload,
  part: Part,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE uploads SET size = ?, touched = ? WHERE id = ? AND size = ?",
    size + part.size,
    now,
    id,
    size,
  );
  if (changed === 0) return false;
  await tx.run(
    "INSERT INTO upload_parts (upload, position, name, size, sha256) VALUES (?, ?, ?, ?, ?)",
    id,
    parts + 1,
    part.name,
    part.size,
    part.sha256,
  );
  return true;
}

/**
 * Deletes an upload and returns its parts, whose files are removed afterwards. Returns undefined if it is gone, or has
 * another size than the one expected: another request has continued it.
 */
export async function deleteUpload(
  tx: Transaction,
  id: string,
  size?: number,
): Promise<readonly Pick<Part, "name">[] | undefined> {
  const [condition, values] = size === undefined ? ["", []] : [" AND size = ?", [size]];
  if ((await tx.run(`DELETE FROM uploads WHERE id = ?${condition}`, id, ...values)) === 0) return;
  return tx.all<Pick<Part, "name">>("DELETE FROM upload_parts WHERE upload = ? RETURNING name", id);
}

/** The ids of uploads that nobody has continued since a time, the oldest first. */
export async function abandonedUploads(
  reader: Reader,
  before: number,
  limit: number,
): Promise<string[]> {
  const sql = "SELECT id FROM uploads WHERE touched < ? ORDER BY touched LIMIT ?";
  return (await reader.all<Pick<Upload, "id">>(sql, before, limit)).map(({ id }) => id);
}

/** The names of all parts that uploads list. */
export async function listedParts(reader: Reader): Promise<ReadonlySet<string>> {
  const rows = await reader.all<Pick<Part, "name">>("SELECT name FROM upload_parts");
  return new Set(rows.map(({ name }) => name));
}

export async function countUploads(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>("SELECT count(*) AS count FROM uploads");
  return Number(row?.count ?? 0);
}
