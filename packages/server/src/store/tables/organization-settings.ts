import type { Transaction } from "../db/commit/transaction.ts";
import type { Reader } from "../db/connection.ts";

/** The settings of organizations. Those with the defaults have no row. */

export interface StoredOrganizationSettings {
  readonly uniqueSiblings: boolean;
}

export async function readOrganizationSettings(
  reader: Reader,
  organization: string,
): Promise<StoredOrganizationSettings> {
  const sql = `SELECT unique_siblings AS "uniqueSiblings" FROM organization_settings WHERE root = ?`;
  const row = await reader.get<{ uniqueSiblings: number }>(sql, organization);
  return { uniqueSiblings: row?.uniqueSiblings === 1 };
}

/** Settings are cached by access version (iam/unique-siblings.ts), so a change of them is one of access. */
export async function writeOrganizationSettings(
  tx: Transaction,
  organization: string,
  { uniqueSiblings }: StoredOrganizationSettings,
): Promise<void> {
  await tx.run(
    `INSERT INTO organization_settings (root, unique_siblings) VALUES (?, ?)
     ON CONFLICT (root) DO UPDATE SET unique_siblings = excluded.unique_siblings`,
    organization,
    uniqueSiblings ? 1 : 0,
  );
  tx.accessChanged();
}

/** Deletes the settings of a deleted organization. */
export async function forgetOrganizationSettings(tx: Transaction, group: string): Promise<void> {
  await tx.run("DELETE FROM organization_settings WHERE root = ?", group);
}
