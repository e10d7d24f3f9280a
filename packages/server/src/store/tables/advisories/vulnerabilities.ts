import { ancestorsOf, subtreeEnd } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { indexable } from "../../resources/indexable.ts";

/**
 * A vulnerability, by the group it was imported into: an organization sees only what its own writers
 * imported.
 */
export interface StoredVulnerability {
  /** The uid of the group; its column is named `place` since the first version. */
  readonly group: string;
  readonly id: string;
  /** The modification time in the source. */
  readonly updated: number;
  readonly data: Uint8Array;
}

/** Upserts a vulnerability, unless a later version is stored. Returns whether anything changed. */
export async function putVulnerability(
  tx: Transaction,
  { group, id, updated, data }: StoredVulnerability,
  names: readonly string[],
): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO vulnerabilities (place, id, updated, data) VALUES (?, ?, ?, ?)
     ON CONFLICT (place, id) DO UPDATE SET updated = excluded.updated, data = excluded.data
     WHERE vulnerabilities.updated <= excluded.updated AND vulnerabilities.data <> excluded.data`,
    group,
    id,
    updated,
    data,
  );
  if (changed === 0) return false;
  await tx.run("DELETE FROM vulnerability_names WHERE place = ? AND id = ?", group, id);
  await tx.run(
    `INSERT INTO vulnerability_names (place, id, name) SELECT ?, ?, value FROM (${tx.dialect.texts}) given`,
    group,
    id,
    JSON.stringify([...new Set(names.map(indexable))]),
  );
  await tx.run(
    `INSERT INTO vulnerability_changes (place, number, latest) VALUES (?, 1, ?)
     ON CONFLICT (place) DO UPDATE SET number = vulnerability_changes.number + 1,
       latest = CASE WHEN vulnerability_changes.latest > excluded.latest
         THEN vulnerability_changes.latest ELSE excluded.latest END`,
    group,
    Date.now(),
  );
  return true;
}

/** The number of changes of vulnerabilities, and the time of the last one. */
export interface VulnerabilityChanges {
  readonly number: number;
  readonly latest: number;
}

/** The changes that affect a group or its descendants: in them, and in the ancestors of the group. */
export async function vulnerabilityChanges(
  reader: Reader,
  group: string,
): Promise<VulnerabilityChanges> {
  const row = await reader.get<{ number: number; latest: number }>(
    `SELECT coalesce(sum(number), 0) AS number, coalesce(max(latest), 0) AS latest
     FROM vulnerability_changes
     WHERE (place >= ? AND place < ?) OR place IN (${reader.dialect.texts})`,
    group,
    subtreeEnd(group),
    JSON.stringify(ancestorsOf(group)),
  );
  return { number: Number(row?.number ?? 0), latest: Number(row?.latest ?? 0) };
}

/** The vulnerabilities with these ids in a group. */
export async function vulnerabilitiesOf(
  reader: Reader,
  group: string,
  ids: readonly string[],
): Promise<StoredVulnerability[]> {
  if (ids.length === 0) return [];
  const { texts } = reader.dialect;
  return reader.all<StoredVulnerability>(
    `SELECT place AS "group", id, updated, data FROM vulnerabilities WHERE place = ? AND id IN (${texts})`,
    group,
    JSON.stringify(ids),
  );
}

/** The names of the vulnerabilities with these ids in a group. */
export async function namesOf(
  reader: Reader,
  group: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await reader.arrays<readonly [string]>(
    `SELECT name FROM vulnerability_names WHERE place = ? AND id IN (${reader.dialect.texts})`,
    group,
    JSON.stringify(ids),
  );
  return rows.map(([name]) => name);
}

/** A name that more than `max` vulnerabilities of a group have; undefined where there is none. */
export async function overusedName(
  reader: Reader,
  group: string,
  names: readonly string[],
  max: number,
): Promise<string | undefined> {
  const row = await reader.get<{ name: string }>(
    `SELECT name FROM vulnerability_names WHERE name IN (${reader.dialect.texts}) AND place = ?
     GROUP BY name HAVING count(*) > ? LIMIT 1`,
    JSON.stringify(names),
    group,
    max,
  );
  return row?.name;
}

/** A vulnerability under one of its names. */
export interface NamedVulnerability {
  /** Truncated to the limit of index keys (indexable.ts). */
  readonly name: string;
  /** The uid of the group. */
  readonly group: string;
  readonly id: string;
  readonly data: Uint8Array;
}

/** The vulnerabilities in these groups that have one of these names. */
export async function vulnerabilitiesNamed(
  reader: Reader,
  groups: readonly string[],
  names: readonly string[],
): Promise<NamedVulnerability[]> {
  const { texts } = reader.dialect;
  return reader.all<NamedVulnerability>(
    `SELECT n.name, n.place AS "group", n.id, v.data
     FROM vulnerability_names n JOIN vulnerabilities v ON v.place = n.place AND v.id = n.id
     WHERE n.name IN (${texts}) AND n.place IN (${texts}) ORDER BY n.id`,
    JSON.stringify(names.map(indexable)),
    JSON.stringify(groups),
  );
}

/** Deletes the vulnerabilities of a deleted group. */
export async function forgetVulnerabilities(tx: Transaction, group: string): Promise<void> {
  await tx.run("DELETE FROM vulnerability_names WHERE place = ?", group);
  await tx.run("DELETE FROM vulnerabilities WHERE place = ?", group);
  await tx.run("DELETE FROM vulnerability_changes WHERE place = ?", group);
  await tx.run("DELETE FROM severity_changes WHERE place = ?", group);
}
