import type { Transaction } from "../store/db/group-commit.ts";
import { identitiesKnownAs } from "../store/tables/provider-people.ts";
import { endSessions } from "../store/tables/sessions.ts";
import type { Json } from "./protocol/values.ts";

/** A person as their identity provider names them. */
export interface ExternalPerson {
  /** The uid of the identity provider. */
  readonly provider: string;
  readonly externalId: string;
}

/**
 * Ends every session that a person has through their identity provider, in the transaction that
 * takes their right to it. The person is found by what the provider calls them at login, never by
 * anything else that they share with someone.
 */
async function endSessionsOf(
  tx: Transaction,
  { provider, externalId }: ExternalPerson,
): Promise<void> {
  for (const identity of await identitiesKnownAs(tx, provider, externalId))
    await endSessions(tx, { identity, provider });
}

/**
 * Ends the sessions of people whom a change of a user leaves without an active user: the person that
 * the user was before, and the one that it is now.
 */
export async function settleSessions(
  tx: Transaction,
  provider: string,
  before: Json | undefined,
  after: Json | undefined,
): Promise<void> {
  // Where a person is provisioned, only being active there makes what they hold count.
  if (before?.active !== after?.active || before?.externalId !== after?.externalId)
    tx.accessChanged();
  const stays = after?.active === true ? after.externalId : undefined;
  for (const externalId of new Set([before?.externalId, after?.externalId])) {
    if (typeof externalId === "string" && externalId !== stays)
      await endSessionsOf(tx, { provider, externalId });
  }
}
