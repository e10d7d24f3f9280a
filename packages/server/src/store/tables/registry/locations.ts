import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The locations of repos in registries: host and path. A repo can have several: the same path in
 * two registries, or its name and its uid in one.
 */

/** The host of locations in the registry of this server, whatever address it has. */
export const OWN_HOST = "";

export interface RegistryLocation {
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  /** 1 where the repo was created for this location. */
  readonly made: number;
}

const COLUMNS = "host, path, repo, made";

/**
 * Adds a location of a repo. A path that belongs to another repo stays there until a reconcile pass has
 * removed the metadata of the other.
 */
export async function writeLocation(tx: Transaction, location: RegistryLocation): Promise<void> {
  const { host, path, repo, made } = location;
  await tx.run(
    `INSERT INTO registry_places (host, path, repo, made, seen) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT (host, path) DO NOTHING`,
    host,
    path,
    repo,
    made,
  );
}

export function findLocation(
  reader: Reader,
  host: string,
  path: string,
): Promise<RegistryLocation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM registry_places WHERE host = ? AND path = ?`;
  return reader.get<RegistryLocation>(sql, host, path);
}

export function locationsOf(reader: Reader, repo: string): Promise<RegistryLocation[]> {
  const sql = `SELECT ${COLUMNS} FROM registry_places WHERE repo = ? ORDER BY host, path`;
  return reader.all<RegistryLocation>(sql, repo);
}

/** Records that a reconcile pass has seen a location. */
export async function markSeen(
  tx: Transaction,
  host: string,
  path: string,
  time: number,
): Promise<void> {
  const sql = "UPDATE registry_places SET seen = ? WHERE host = ? AND path = ? AND seen < ?";
  await tx.run(sql, time, host, path, time);
}

/** The locations of a registry that no reconcile pass has seen since a time. */
export function unseenLocations(
  reader: Reader,
  host: string,
  since: number,
  after: string,
  limit: number,
): Promise<RegistryLocation[]> {
  return reader.all<RegistryLocation>(
    `SELECT ${COLUMNS} FROM registry_places
     WHERE host = ? AND seen < ? AND path > ? ORDER BY path LIMIT ?`,
    host,
    since,
    after,
    limit,
  );
}

export async function deleteLocation(tx: Transaction, host: string, path: string): Promise<void> {
  await tx.run("DELETE FROM registry_places WHERE host = ? AND path = ?", host, path);
}

/** Marks the remaining locations as those that the repo was created for, when that one is gone. */
export async function markLocationsCreated(tx: Transaction, repo: string): Promise<void> {
  await tx.run("UPDATE registry_places SET made = 1 WHERE repo = ?", repo);
}

/** Deletes the locations of a deleted repo. */
export async function deleteLocations(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM registry_places WHERE repo = ?", repo);
}

/** Whether a repo outside of an organization has a location below this first segment of paths. */
export async function hasForeignLocation(
  reader: Reader,
  segment: string,
  organization: string,
): Promise<boolean> {
  const sql = `SELECT repo FROM registry_places
    WHERE path > ? AND path < ? AND (repo < ? OR repo > ?) LIMIT 1`;
  const bounds = [`${segment}/`, `${segment}0`, `${organization}/`, `${organization}0`];
  return (await reader.get(sql, ...bounds)) !== undefined;
}

/** Deletes the locations of all repos below a renamed group without images, which has other paths now. */
export async function deleteLocationsBelow(tx: Transaction, group: string): Promise<void> {
  const sql = "DELETE FROM registry_places WHERE repo > ? AND repo < ?";
  await tx.run(sql, `${group}/`, `${group}0`);
}

/** The rows of a repo, or of all repos below a group. */
const AT_AND_BELOW = "(repo = ? OR (repo > ? AND repo < ?))";

/**
 * Whether images of a repo, or of repos below a group, may be at a registry other than that of this server: that registry
 * has them by path.
 */
export async function hasImagesElsewhere(reader: Reader, uid: string): Promise<boolean> {
  const range = [uid, `${uid}/`, `${uid}0`];
  const attached = `SELECT 1 AS found FROM registry_places
    WHERE ${AT_AND_BELOW} AND host <> ? LIMIT 1`;
  if ((await reader.get(attached, ...range, OWN_HOST)) !== undefined) return true;
  // Tags and manifests that were recorded without a push: nobody knows where the images are.
  const unplaced = `SELECT 1 AS found FROM repos
    WHERE (uid = ? OR (uid > ? AND uid < ?))
      AND NOT EXISTS (SELECT 1 FROM registry_places WHERE repo = repos.uid)
      AND (EXISTS (SELECT 1 FROM tags WHERE parent = repos.uid)
        OR EXISTS (SELECT 1 FROM manifests WHERE repo = repos.uid)) LIMIT 1`;
  return (await reader.get(unplaced, ...range)) !== undefined;
}

/** Replaces a segment in the locations of a repo, or of all repos below a group, in the registry of this server. */
export async function renameOwnLocations(
  tx: Transaction,
  uid: string,
  { at, from, to }: { readonly at: number; readonly from: string; readonly to: string },
): Promise<void> {
  const rows = await tx.all<Pick<RegistryLocation, "path" | "repo" | "made">>(
    `SELECT path, repo, made FROM registry_places WHERE host = ? AND ${AT_AND_BELOW}`,
    ...[OWN_HOST, uid, `${uid}/`, `${uid}0`],
  );
  const named = rows.filter(({ path }) => path.split("/")[at] === from);
  const renamed = named.map(({ path, repo, made }) => {
    return [path.split("/").with(at, to).join("/"), repo, made] as const;
  });
  const { texts, tuples, asInteger } = tx.dialect;
  // What is left of another repo at the new path ends, too.
  const ended = [...named.map(({ path }) => path), ...renamed.map(([path]) => path)];
  const sql = `DELETE FROM registry_places WHERE host = ? AND path IN (${texts})`;
  await tx.run(sql, OWN_HOST, JSON.stringify(ended));
  await tx.run(
    `INSERT INTO registry_places (host, path, repo, made, seen)
     SELECT '', path, repo, ${asInteger("made")}, 0 FROM (${tuples("path", "repo", "made")}) given
     WHERE true ON CONFLICT (host, path) DO NOTHING`,
    JSON.stringify(renamed),
  );
}
