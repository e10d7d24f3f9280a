import { type IdentityProvider, literalIdentityUid, parentOf } from "@wharf/contract";
import {
  findProvisionedUser,
  isProvisioned,
  maySignIn,
  type ProvisionedGroup,
  provisionedGroupsOf,
} from "../../auth/provisioning.ts";
import { Mutation } from "../../engine/mutation.ts";
import { mappingsFor } from "../../iam/external-group-role-mappings.ts";
import { bindRole } from "../../iam/group-invites.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countBindings } from "../../store/tables/identity-bindings.ts";
import { hasSignedIn, notePerson } from "../../store/tables/provider-people.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";
import { registerPerson } from "../people/registration.ts";
import type { FromProvider } from "./provider-login.ts";

/**
 * Lets in a person who comes from an identity provider. At their first login they are registered and
 * given the provider's default role; at every login, what their groups at the provider are mapped to
 * applies for the session.
 */
export function admit(
  { engine }: LoginDeps,
  call: Call,
  provider: IdentityProvider,
  described: FromProvider,
  { knownOnly }: { knownOnly: boolean },
): Promise<Person> {
  const { act, email, profile, externalId, groups } = described;
  const identity = literalIdentityUid(act.iss, act.sub);
  const group = parentOf(provider.uid);
  return engine.store.write(async (tx) => {
    const change = new Mutation(call, tx, engine, { actor: identity });
    if (!(await maySignIn(tx, provider.uid, externalId))) throw notProvisioned();
    if (knownOnly && !(await isKnownAt(change, provider, identity))) {
      throw new WharfError("NOT_FOUND", "this person has no account: registration required");
    }
    await registerPerson(change, described);
    if (await notePerson(tx, provider.uid, identity, externalId)) {
      await bindRole(change, group, provider.defaultRole, identity);
    }
    // Another provider of the same issuer, here or above, may have deactivated the person.
    const person = { identity, issuer: act.iss, subject: act.sub };
    const standing = await engine.access.standingOf(tx, person, undefined, [group]);
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
      mappings: mappings.map(({ uid }) => uid),
    };
  });
}

/**
 * Whether the organization of an identity provider knows a person: they have signed in through it,
 * are provisioned there, or are bound at or below its group. Being known elsewhere does not count:
 * an ID token that was made for another client must not open an account here.
 */
async function isKnownAt(
  { engine, tx }: Mutation,
  { uid }: IdentityProvider,
  identity: string,
): Promise<boolean> {
  if (!(await engine.catalog.identities.table.keep(tx, identity))) return false;
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

/** The groups that provisioning says a person is in. */
async function provisionedGroups(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<ProvisionedGroup[]> {
  if (!(await isProvisioned(reader, provider))) return [];
  const user = await findProvisionedUser(reader, provider, externalId);
  return user === undefined ? [] : provisionedGroupsOf(reader, provider, user.id);
}
