import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/**
 * Who has come through which identity provider. Being here means that the first login is over, and
 * tells which identity the provider's own name for a person stands for.
 */

/**
 * Notes that a person came through a provider; true when it was the first time.
 *
 * @example if (await recordSignIn(tx, provider, identity, externalId)) await bind(…);
 */
export async function recordSignIn(
  tx: Transaction,
  provider: string,
  identity: string,
  externalId: string,
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO provider_people (provider, identity, external_id) VALUES (?, ?, ?)
     ON CONFLICT (provider, identity) DO NOTHING`,
    provider,
    identity,
    externalId,
  );
  if (added > 0) return true;
  await tx.run(
    "UPDATE provider_people SET external_id = ? WHERE provider = ? AND identity = ?",
    externalId,
    provider,
    identity,
  );
  return false;
}

/** What a provider called a person at their last login through it. */
export async function externalIdOf(
  reader: Reader,
  provider: string,
  identity: string,
): Promise<string> {
  const row = await reader.get<{ id: string }>(
    "SELECT external_id AS id FROM provider_people WHERE provider = ? AND identity = ?",
    provider,
    identity,
  );
  return row?.id ?? "";
}

/** Every provider that a person has signed in through, and what it called them last. */
export async function providersOfPerson(
  reader: Reader,
  identity: string,
): Promise<{ provider: string; externalId: string }[]> {
  return reader.all(
    `SELECT provider, external_id AS "externalId" FROM provider_people WHERE identity = ?`,
    identity,
  );
}

/** Whether a person has signed in through a provider. */
export async function hasSignedIn(
  reader: Reader,
  provider: string,
  identity: string,
): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM provider_people WHERE provider = ? AND identity = ?";
  return (await reader.get(sql, provider, identity)) !== undefined;
}

/** The identities that a provider's own name for a person stands for. */
export async function identitiesByExternalId(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<string[]> {
  const rows = await reader.all<{ identity: string }>(
    "SELECT identity FROM provider_people WHERE provider = ? AND external_id = ?",
    provider,
    externalId,
  );
  return rows.map(({ identity }) => identity);
}

/** Deletes the record that a person has signed in: through one provider, or any. */
export async function deleteSignIns(
  tx: Transaction,
  identity: string,
  provider?: string,
): Promise<void> {
  const [among, values] = provider === undefined ? ["", []] : [" AND provider = ?", [provider]];
  await tx.run(`DELETE FROM provider_people WHERE identity = ?${among}`, identity, ...values);
}

/** Forgets everyone who came through a provider, when it is deleted. */
export async function deleteProviderSignIns(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM provider_people WHERE provider = ?", provider);
}
