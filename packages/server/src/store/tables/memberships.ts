import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** How a person signed in: the identity provider, and the OIDC client its ID token was made for. */
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
  const given = Object.entries(owner);
  if (given.length === 0) throw new Error("an owner of memberships is required");
  const conditions = given.map(([column]) => `${column} = ?`).join(" AND ");
  await tx.run(`DELETE FROM memberships WHERE ${conditions}`, ...given.map(([, uid]) => uid));
}
