import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The people who have signed in through each identity provider, by identity and by the provider's own id
 * of the person, and the groups that they joined. A person without a row has never signed in.
 */

/** Records a sign-in through a provider; true for the first one. */
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

/** The id that a provider gave a person at their last sign-in. */
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

/** Every provider that a person has signed in through, with its last id of the person. */
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

/** The identities with a provider's id of a person. */
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

/** Deletes the sign-ins of a person through one provider, or any. */
export async function deleteSignIns(
  tx: Transaction,
  identity: string,
  provider?: string,
): Promise<void> {
  const [condition, values] = provider === undefined ? ["", []] : [" AND provider = ?", [provider]];
  await tx.run(`DELETE FROM provider_people WHERE identity = ?${condition}`, identity, ...values);
}

/** Deletes the sign-ins through a deleted provider. */
export async function deleteProviderSignIns(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM provider_people WHERE provider = ?", provider);
}

/** Origin of a sign-in: the identity provider, and the OIDC client of its ID token. */
export interface SignInClient {
  /** The uid of the identity provider. */
  readonly provider: string;
  readonly clientId: string;
}

/** A person joined a group while signed in through a client: sign-ins through it count there. */
export interface Membership extends SignInClient {
  readonly identity: string;
  /** The group that was joined; the membership covers everything below it. */
  readonly scope: string;
}

/** Records a membership; recording it again changes nothing. */
export async function addMembership(tx: Transaction, membership: Membership): Promise<void> {
  const { identity, scope, provider, clientId } = membership;
  await tx.run(
    `INSERT INTO memberships (identity, provider, client_id, scope) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    identity,
    provider,
    clientId,
    scope,
  );
}

/** The groups that a person joined while signed in through a client. */
export async function groupsJoinedThrough(
  reader: Reader,
  identity: string,
  { provider, clientId }: SignInClient,
): Promise<string[]> {
  const rows = await reader.all<{ scope: string }>(
    "SELECT scope FROM memberships WHERE identity = ? AND provider = ? AND client_id = ?",
    identity,
    provider,
    clientId,
  );
  return rows.map(({ scope }) => scope);
}

/** Deletes the memberships of a person, of a provider, or of a person at a provider. */
export async function deleteMemberships(
  tx: Transaction,
  owner: { readonly identity?: string; readonly provider?: string },
): Promise<void> {
  const columns = Object.entries(owner);
  if (columns.length === 0) throw new Error("an owner of memberships is required");
  const conditions = columns.map(([column]) => `${column} = ?`).join(" AND ");
  await tx.run(`DELETE FROM memberships WHERE ${conditions}`, ...columns.map(([, uid]) => uid));
}
