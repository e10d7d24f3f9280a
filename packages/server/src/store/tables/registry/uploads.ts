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
  readonly parts: readonly Part[];
}

type Row = Omit<Upload, "parts"> & { readonly parts: string };

export async function addUpload(
  tx: Transaction,
  { id, path, actor }: Pick<Upload, "id" | "path" | "actor">,
  now: number,
): Promise<void> {
  const sql =
    "INSERT INTO uploads (id, path, actor, touched, size, parts) VALUES (?, ?, ?, ?, 0, '[]')";
  await tx.run(sql, id, path, actor, now);
}

export async function findUpload(reader: Reader, id: string): Promise<Upload | undefined> {
  const sql = "SELECT id, path, actor, size, parts FROM uploads WHERE id = ?";
  const row = await reader.get<Row>(sql, id);
  return row && fromRow(row);
}

/** Appends a part. Returns false if another request has changed the upload since it was read. */
export async function appendPart(
  tx: Transaction,
  { id, size, parts }: Upload,
  part: Part,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE uploads SET size = ?, parts = ?, touched = ? WHERE id = ? AND size = ?",
    size + part.size,
    JSON.stringify([...parts, part]),
    now,
    id,
    size,
  );
  return changed > 0;
}

/** Returns false if it is gone already. */
export async function deleteUpload(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run("DELETE FROM uploads WHERE id = ?", id)) > 0;
}

/** Uploads that nobody has continued since a time, the oldest first. */
export async function abandonedUploads(
  reader: Reader,
  before: number,
  limit: number,
): Promise<Upload[]> {
  const sql = `SELECT id, path, actor, size, parts FROM uploads WHERE touched < ?
    ORDER BY touched LIMIT ?`;
  return (await reader.all<Row>(sql, before, limit)).map(fromRow);
}

/** The names of all parts that uploads list. */
export async function listedParts(reader: Reader): Promise<ReadonlySet<string>> {
  const rows = await reader.all<Pick<Row, "parts">>("SELECT parts FROM uploads");
  return new Set(
    rows.flatMap(({ parts }) => (JSON.parse(parts) as Part[]).map(({ name }) => name)),
  );
}

function fromRow(row: Row): Upload {
  return { ...row, parts: JSON.parse(row.parts) as Part[] };
}
