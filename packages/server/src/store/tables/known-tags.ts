import type { Reader } from "../db/connection.ts";

/** A tag as far as it is compared with a registry's. */
export interface KnownTag {
  readonly name: string;
  readonly digest: string;
}

/**
 * The tags of a repo by name, of every kind, so many after a name.
 *
 * @example const page = await knownTags(reader, repo.uid, "", 1000);
 */
export function knownTags(
  reader: Reader,
  repo: string,
  after: string,
  limit: number,
): Promise<KnownTag[]> {
  const sql = "SELECT name, digest FROM tags WHERE parent = ? AND name > ? ORDER BY name LIMIT ?";
  return reader.all<KnownTag>(sql, repo, after, limit);
}

/** Those of some names. */
export async function tagsNamed(
  reader: Reader,
  repo: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const marks = names.map(() => "?").join(", ");
  const sql = `SELECT name, digest FROM tags WHERE parent = ? AND name IN (${marks})`;
  const rows = await reader.all<KnownTag>(sql, repo, ...names);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}
