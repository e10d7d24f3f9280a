import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";
import { numberOf, part, type SqlPart } from "../sql-part.ts";

/** The part of a record that has its id, as it is stored: JSON that begins with it, so that it orders records. */
export type StoredId = string;

export interface IdPage {
  /** Everywhere if undefined. */
  readonly scopes: readonly string[] | undefined;
  readonly after: StoredId;
  readonly limit: number;
}

/** The records `r` at and below scopes, from FROM on. */
function recordsWithin({ dialect }: Reader, scopes: readonly string[] | undefined): SqlPart {
  if (scopes === undefined) return part("FROM vulnerability_records r");
  const intervals = scopes.map((uid) => [`${uid}/`, subtreeEnd(uid)]);
  return part(
    `FROM (${dialect.tuples("low", "high")}) part JOIN vulnerability_records r
      ON r.advisory >= part.low AND r.advisory < part.high`,
    JSON.stringify(intervals),
  );
}

/** A page of the distinct ids of records at and below scopes, in their order. */
export async function recordIds(
  reader: Reader,
  { scopes, after, limit }: IdPage,
): Promise<StoredId[]> {
  const { sql, params } = recordsWithin(reader, scopes);
  const rows = await reader.arrays<readonly [string]>(
    `SELECT DISTINCT r.detail ${sql} WHERE r.detail > ? ORDER BY r.detail LIMIT ?`,
    ...params,
    after,
    limit,
  );
  return rows.map(([detail]) => detail);
}

export function countRecordIds(
  reader: Reader,
  scopes: readonly string[] | undefined,
): Promise<number> {
  return numberOf(reader, "count(DISTINCT r.detail)", recordsWithin(reader, scopes));
}
