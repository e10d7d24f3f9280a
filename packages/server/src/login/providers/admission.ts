import { type IdentityProvider, literalIdentityUid, parentOf } from "@wharf/contract";
import {
  findProvisionedUser,
  isProvisioned,
  maySignIn,
  type ProvisionedGroup,
  provisionedGroupsOf,
} from "../../auth/provisioning.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import { mappingsFor } from "../../iam/external-group-role-mappings.ts";
import { bindRole } from "../../iam/group-invites.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countBindings } from "../../store/tables/access/identity-bindings.ts";
import { hasSignedIn, recordSignIn } from "../../store/tables/login/provider-people.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";
import { registerPerson } from "../people/registration.ts";
import type { ProviderClaims } from "./provider-claims.ts";

/**
 * Signs in a person of an identity provider. The first sign-in registers the person and binds the
 * default role of the provider. Every sign-in applies the mappings of the person's groups to the
 * session.
 */
export function admitPerson(
  deps: LoginDeps,
  call: Call,
  provider: IdentityProvider,
  described: ProviderClaims,
  { knownOnly }: { knownOnly: boolean },
): Promise<Person> {
  const { act, email, profile, externalId, groups, signedIn } = described;
  const identity = literalIdentityUid(act.iss, act.sub);
  const group = parentOf(provider.uid);
  return deps.store.writeFor(call, async (tx) => {
    const change = new Mutation(call, tx, deps, { actor: identity });
    if (!(await maySignIn(tx, provider.uid, externalId))) throw notProvisioned();
    if (knownOnly && !(await isRegisteredAt(change, provider, identity))) {
      throw new WharfError("NOT_FOUND", "this person has no account: registration required");
    }
    await registerPerson(change, described);
    if (await recordSignIn(tx, provider.uid, identity, externalId)) {
      await bindRole(change, group, provider.defaultRole, identity);
    }
    // Another provider of the same issuer at this group or above may have deactivated the person.
    const person = { identity, issuer: act.iss, subject: act.sub };
    const standing = await deps.access.standingOf(tx, person, undefined, [group]);
    if (!standing.isActiveAt(group)) throw notProvisioned();
    const provisioned = await provisionedGroups(tx, provider.uid, externalId);
    const mappings = await mappingsFor(tx, provider.uid, { ids: groups, provisioned });
    return {
      identity,
      provider: provider.uid,
      clientId: provider.configuration.value?.clientId ?? "",
      act,
      email,
      profile,
      signedIn,
      mappings: mappings.map(({ uid }) => uid),
    };
  });
}

/**
 * Whether a person is registered with the organization of an identity provider: they have signed in
 * through it, are provisioned there, or are bound at or below its group. Being registered elsewhere
 * does not count: an ID token for another client must not open an account here.
 */
async function isRegisteredAt(
  { deps, tx }: Mutation,
  { uid }: IdentityProvider,
  identity: string,
): Promise<boolean> {
  if (!(await deps.catalog.identities.table.keep(tx, identity))) return false;
  if (await hasSignedIn(tx, uid, identity)) return true;
  if (await isProvisioned(tx, uid)) return true;
  return (await countBindings(tx, identity, { root: parentOf(uid), limit: 1 })) > 0;
}

function notProvisioned(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "the identity provider has not provisioned this person, or has deactivated them",
  );
}

/** The groups of a person according to provisioning. */
async function provisionedGroups(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<ProvisionedGroup[]> {
  if (!(await isProvisioned(reader, provider))) return [];
  const user = await findProvisionedUser(reader, provider, externalId);
  return user === undefined ? [] : provisionedGroupsOf(reader, provider, user.id);
}
