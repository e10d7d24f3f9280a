import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/**
 * Where the images of repos are: in which registry, and under which path there. A repo may be in
 * several, as the same path in two registries is, or the same repo by its name and by its uid.
 */

export interface RegistryLocation {
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  /** 1 where the repo was made because something was there. */
  readonly made: number;
}

const COLUMNS = "host, path, repo, made";

/**
 * Keeps where a repo is. A path that is kept as another's stays that until a look has seen to it: what
 * is known of the other is to go first.
 *
 * @example await writeLocation(tx, { host, path: "acme/app", repo: repo.uid, made: 1 });
 */
export async function writeLocation(tx: Transaction, place: RegistryLocation): Promise<void> {
  const { host, path, repo, made } = place;
  await tx.run(
    `INSERT INTO registry_places (host, path, repo, made, seen) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT (host, path) DO NOTHING`,
    host,
    path,
    repo,
    made,
  );
}

/** @example const place = await findLocation(reader, host, "acme/app"); */
export function findLocation(
  reader: Reader,
  host: string,
  path: string,
): Promise<RegistryLocation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM registry_places WHERE host = ? AND path = ?`;
  return reader.get<RegistryLocation>(sql, host, path);
}

/** @example const places = await locationsOf(reader, repo.uid); */
export function locationsOf(reader: Reader, repo: string): Promise<RegistryLocation[]> {
  const sql = `SELECT ${COLUMNS} FROM registry_places WHERE repo = ? ORDER BY host, path`;
  return reader.all<RegistryLocation>(sql, repo);
}

/** Notes that a look through a registry has come by a place. */
export async function markSeen(
  tx: Transaction,
  host: string,
  path: string,
  time: number,
): Promise<void> {
  const sql = "UPDATE registry_places SET seen = ? WHERE host = ? AND path = ? AND seen < ?";
  await tx.run(sql, time, host, path, time);
}

/** Places of a registry that were not seen since a time. */
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

/** The places that are left count as those that a repo was made for, when the one that was is gone. */
export async function markLocationsCreated(tx: Transaction, repo: string): Promise<void> {
  await tx.run("UPDATE registry_places SET made = 1 WHERE repo = ?", repo);
}

/** Forgets where a repo was, when it is deleted. */
export async function deleteLocations(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM registry_places WHERE repo = ?", repo);
}
