import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/**
 * Who has come through which identity provider. Being here means that the first login is over, and
 * tells which identity the provider's own name for a person stands for.
 */

/**
 * Notes that a person came through a provider; true when it was the first time.
 *
 * @example if (await notePerson(tx, provider, identity, externalId)) await bind(…);
 */
export async function notePerson(
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
  return added > 0;
}

/** The identities that a provider's own name for a person stands for. */
export async function identitiesKnownAs(
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

/** The providers that a person has come through, and what each calls them. */
export function providersOf(
  reader: Reader,
  identity: string,
): Promise<{ provider: string; externalId: string }[]> {
  return reader.all(
    `SELECT provider, external_id AS "externalId" FROM provider_people WHERE identity = ?`,
    identity,
  );
}

/** Forgets a person, when their identity is deleted. */
export async function forgetPerson(tx: Transaction, identity: string): Promise<void> {
  await tx.run("DELETE FROM provider_people WHERE identity = ?", identity);
}

/** Forgets everyone who came through a provider, when it is deleted. */
export async function forgetProvider(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM provider_people WHERE provider = ?", provider);
}
