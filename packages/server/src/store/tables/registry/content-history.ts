import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import type { ContentTotals } from "./content.ts";

/** The totals of groups by day, as they were last counted on that day (UTC). */

export interface ContentDay extends Omit<ContentTotals, "scope"> {
  /** The beginning of the day, in milliseconds since 1970. */
  readonly day: number;
  /** Repos and tags at and below the group, wherever their images are. */
  readonly repos: number;
  readonly tags: number;
}

/** The days of a group since a time, in their order. */
export function readContentDays(
  reader: Reader,
  group: string,
  since: number,
): Promise<ContentDay[]> {
  return reader.all<ContentDay>(
    `SELECT day, contents, bytes, linked, repos, tags FROM content_history
     WHERE scope = ? AND day >= ? ORDER BY day`,
    group,
    since,
  );
}

/**
 * Writes the totals of the next groups after a uid as those of a day. Returns the last of them; undefined after the last
 * batch.
 */
export async function writeContentDay(
  tx: Transaction,
  day: number,
  after: string,
  limit: number,
): Promise<string | undefined> {
  const { asInteger } = tx.dialect;
  const countedBelow = (kinds: string) =>
    asInteger(`(SELECT coalesce(sum(descendants), 0) FROM counts WHERE uid = scope AND ${kinds})`);
  const rows = await tx.all<{ scope: string }>(
    `INSERT INTO content_history (scope, day, contents, bytes, linked, repos, tags)
     SELECT scope, ${asInteger("?")}, contents, bytes, linked, ${countedBelow("kind = 'repos'")},
       ${countedBelow("kind > 'tags/' AND kind < 'tags0'")}
     FROM content_totals
     WHERE scope > ? AND EXISTS (SELECT 1 FROM groups WHERE groups.uid = scope)
     ORDER BY scope LIMIT ?
     ON CONFLICT (scope, day) DO UPDATE SET contents = excluded.contents, bytes = excluded.bytes,
       linked = excluded.linked, repos = excluded.repos, tags = excluded.tags
     RETURNING scope`,
    day,
    after,
    limit,
  );
  const scopes = rows.map(({ scope }) => scope).sort();
  return scopes.length < limit ? undefined : scopes.at(-1);
}
