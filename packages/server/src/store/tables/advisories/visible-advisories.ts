import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../db/connection.ts";
import type { EncodedRow } from "../../resources/rows.ts";

/** Names of advisories: their ids, and aliases of the vulnerability. */
const NAMES = ["alias", "id"] as const;

export interface VisibleQuery {
  /** As they are indexed (indexable.ts). */
  readonly names: readonly string[];
  /** At and below these; everywhere if undefined. */
  readonly scopes: readonly string[] | undefined;
  readonly partitions: readonly number[];
  readonly limit: number;
  /** The terms that the names are; those of vulnerabilities by default. */
  readonly kinds?: readonly ("alias" | "artifact" | "id")[];
}

/**
 * The advisories with one of these names at and below the scopes, each once, by one statement: advisories elsewhere take
 * the same as none.
 */
export async function visibleAdvisories(
  reader: Reader,
  { names, scopes, partitions, limit, kinds = NAMES }: VisibleQuery,
): Promise<EncodedRow[]> {
  if (names.length === 0 || scopes?.length === 0) return [];
  const { dialect } = reader;
  const intervals = scopes?.map((uid) => [`${uid}/`, subtreeEnd(uid)]);
  const isVisible =
    intervals === undefined
      ? ""
      : `AND EXISTS (SELECT 1 FROM (${dialect.tuples("low", "high")}) part
          WHERE a.uid >= part.low AND a.uid < part.high)`;
  const listed = (values: readonly unknown[]) => values.map(() => "?").join(", ");
  // First, or PostgreSQL may look up the terms of every advisory.
  const found = kinds.map(
    (kind) =>
      `SELECT row_id FROM advisories_terms WHERE kind = '${kind}' AND value IN (${listed(names)})`,
  );
  return reader.all<EncodedRow>(
    `WITH found AS MATERIALIZED (${found.join(" UNION ")})
     SELECT a.encoding, a.data FROM found JOIN advisories a ON a.id = found.row_id
     WHERE a.part IN (${listed(partitions)}) ${isVisible} ORDER BY a.uid LIMIT ?`,
    ...kinds.flatMap(() => names),
    ...partitions,
    ...(intervals === undefined ? [] : [JSON.stringify(intervals)]),
    limit,
  );
}
