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

/** Deletes the locations of all repos below a renamed group, which has other paths now. */
export async function deleteLocationsBelow(tx: Transaction, group: string): Promise<void> {
  const sql = "DELETE FROM registry_places WHERE repo > ? AND repo < ?";
  await tx.run(sql, `${group}/`, `${group}0`);
}
