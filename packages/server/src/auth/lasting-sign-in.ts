import { type Identity, type IdentityProvider, isRoot } from "@wharf/contract";
import type { Reader } from "../store/db/connection.ts";
import { accountOf } from "../store/tables/login/local-accounts.ts";
import { providersOfPerson } from "../store/tables/login/provider-people.ts";
import { ANONYMOUS_UID } from "./caller.ts";
import { type Lookup, type PersonKey, personOf, standingOf } from "./standing.ts";

export interface LastingSignInDeps {
  readonly identityProviders: Lookup<IdentityProvider>;
  readonly localAccounts: boolean;
}

/** Whether a workload can authenticate for good: static keys expire, and no token is issued for service principals. */
export function isLastingWorkload({ relationship }: Identity): boolean {
  return relationship.case === "claimMatch" || relationship.case === "awsIdentity";
}

/**
 * Whether an identity can authenticate with its grants at a group until somebody changes that. Whether tokens of an
 * issuer can still be obtained is unknown here: a workload counts, and so does a person who has never signed in through
 * an identity provider. Others count if a sign-in through one of their providers does, other than the one to ignore.
 */
export async function hasLastingSignIn(
  { identityProviders, localAccounts }: LastingSignInDeps,
  reader: Reader,
  identity: Identity,
  group: string,
  ignoredProvider = "",
): Promise<boolean> {
  const { uid } = identity;
  if (uid === ANONYMOUS_UID) return false;
  if (!isRoot(uid)) return isLastingWorkload(identity);
  const person = personOf(identity);
  if (person === undefined) return localAccounts && (await accountOf(reader, uid)) !== undefined;
  const ways = await providersOfPerson(reader, uid);
  if (ways.length === 0) return countsThrough(identityProviders, reader, person, group);
  for (const { provider } of ways) {
    if (provider === ignoredProvider) continue;
    if (await countsThrough(identityProviders, reader, person, group, provider)) return true;
  }
  return false;
}

/** Whether a sign-in counts at a group: through a provider and its present client, or by a direct exchange. */
async function countsThrough(
  identityProviders: Lookup<IdentityProvider>,
  reader: Reader,
  person: PersonKey,
  group: string,
  provider?: string,
): Promise<boolean> {
  const clientId =
    provider && (await identityProviders.find(reader, provider))?.configuration.value?.clientId;
  if (provider !== undefined && clientId === undefined) return false;
  const session = provider && { provider, person: JSON.stringify({ clientId }) };
  const standing = await standingOf(identityProviders, reader, person, session || undefined, [
    group,
  ]);
  return standing.countsAt(group);
}
