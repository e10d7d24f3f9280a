import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";

/** The part of a record that has its id, as it is stored: JSON that begins with it, so that it orders records. */
export type StoredId = string;

export interface IdPage {
  /** Everywhere if undefined. */
  readonly scopes: readonly string[] | undefined;
  readonly after: StoredId;
  readonly limit: number;
}

function range(reader: Reader, scopes: readonly string[] | undefined) {
  if (scopes === undefined) return { sql: "", params: [] };
  const intervals = scopes.map((uid) => [`${uid}/`, subtreeEnd(uid)]);
  return {
    sql: `(${reader.dialect.tuples("low", "high")}) part JOIN`,
    on: " ON r.advisory >= part.low AND r.advisory < part.high",
    params: [JSON.stringify(intervals)],
  };
}

/** A page of the distinct ids of records at and below scopes, in their order. */
export async function recordIds(
  reader: Reader,
  { scopes, after, limit }: IdPage,
): Promise<StoredId[]> {
  const { sql, on = "", params } = range(reader, scopes);
  const rows = await reader.arrays<readonly [string]>(
    `SELECT DISTINCT r.detail FROM ${sql} vulnerability_records r${on} WHERE r.detail > ?
     ORDER BY r.detail LIMIT ?`,
    ...params,
    after,
    limit,
  );
  return rows.map(([detail]) => detail);
}

export async function countRecordIds(
  reader: Reader,
  scopes: readonly string[] | undefined,
): Promise<number> {
  const { sql, on = "", params } = range(reader, scopes);
  const row = await reader.get<{ total: number }>(
    `SELECT count(DISTINCT r.detail) AS total FROM ${sql} vulnerability_records r${on}`,
    ...params,
  );
  return Number(row?.total ?? 0);
}
