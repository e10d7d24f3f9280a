import { rootOf } from "@wharf/contract";
import type { WriteDeps } from "../engine/write/mutation.ts";
import { hasOwner, mustKeepOwner } from "../iam/owners.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import { identitiesByExternalId } from "../store/tables/login/provider-people.ts";
import { endSessions } from "../store/tables/login/sessions.ts";
import type { Json } from "./protocol/values.ts";

/** A person, by the id of their identity provider. */
export interface ExternalPerson {
  /** The uid of the identity provider. */
  readonly provider: string;
  readonly externalId: string;
}

/**
 * Ends all sessions of a person through their identity provider, in the transaction that
 * deactivates them. The person is found only by the id that the provider uses at sign-in.
 */
async function endSessionsOf(
  tx: Transaction,
  { provider, externalId }: ExternalPerson,
): Promise<void> {
  for (const identity of await identitiesByExternalId(tx, provider, externalId))
    await endSessions(tx, { identity, provider });
}

/**
 * Ends the sessions of people who have no active user after a change: of the person before the
 * change and of the one after it.
 */
export async function endSessionsOfDeactivated(
  tx: Transaction,
  provider: string,
  before: Json | undefined,
  after: Json | undefined,
): Promise<void> {
  // For provisioned people, grants count only while they are active.
  if (before?.active !== after?.active || before?.externalId !== after?.externalId)
    tx.accessChanged();
  const stays = after?.active === true ? after.externalId : undefined;
  for (const externalId of new Set([before?.externalId, after?.externalId])) {
    if (typeof externalId === "string" && externalId !== stays)
      await endSessionsOf(tx, { provider, externalId });
  }
}

/** Writes a change of a user, and rejects it if that deactivates the last owner of the organization. */
export async function keepingOwner(
  tx: Transaction,
  deps: WriteDeps & { readonly provider: string },
  before: Json,
  after: Json | undefined,
  write: () => Promise<unknown>,
): Promise<void> {
  const organization = rootOf(deps.provider);
  const stays = after?.active === true && after.externalId === before.externalId;
  const hadOwner = before.active === true && !stays && (await hasOwner(deps, tx, organization));
  await write();
  if (hadOwner) await mustKeepOwner({ deps, tx }, organization);
}
