import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** The registry settings of groups. Groups with the defaults have no row. */

export interface StoredSettings {
  readonly uniqueTags: boolean;
  readonly eolGracePeriod: boolean;
}

export async function readRegistrySettings(reader: Reader, group: string): Promise<StoredSettings> {
  const sql = `SELECT unique_tags AS "uniqueTags", eol_grace_period AS "eolGracePeriod"
    FROM registry_settings WHERE group_uid = ?`;
  const row = await reader.get<Record<keyof StoredSettings, number>>(sql, group);
  return { uniqueTags: row?.uniqueTags === 1, eolGracePeriod: row?.eolGracePeriod === 1 };
}

export async function writeRegistrySettings(
  tx: Transaction,
  group: string,
  { uniqueTags, eolGracePeriod }: StoredSettings,
): Promise<void> {
  await tx.run(
    `INSERT INTO registry_settings (group_uid, unique_tags, eol_grace_period) VALUES (?, ?, ?)
     ON CONFLICT (group_uid) DO UPDATE SET
       unique_tags = excluded.unique_tags, eol_grace_period = excluded.eol_grace_period`,
    group,
    uniqueTags ? 1 : 0,
    eolGracePeriod ? 1 : 0,
  );
}

/** Whether any of these groups requires unique tags. */
export async function wantsUniqueTags(reader: Reader, groups: readonly string[]): Promise<boolean> {
  const marks = groups.map(() => "?").join(", ");
  const sql = `SELECT 1 AS found FROM registry_settings
    WHERE group_uid IN (${marks}) AND unique_tags = 1 LIMIT 1`;
  return (await reader.get(sql, ...groups)) !== undefined;
}

/** Deletes the settings of a deleted group. */
export async function forgetRegistrySettings(tx: Transaction, group: string): Promise<void> {
  await tx.run("DELETE FROM registry_settings WHERE group_uid = ?", group);
}
