import { type IdentityProvider, literalIdentityUid, parentOf } from "@wharf/contract";
import { Change } from "../engine/change.ts";
import { WharfError } from "../errors.ts";
import { mappingsFor } from "../iam/external-group-role-mappings.ts";
import { bind } from "../iam/group-invites.ts";
import type { Call } from "../rpc/call.ts";
import { isProvisioned, isWelcome, scimGroupsOf, scimUserFor } from "../scim/lookup.ts";
import type { Reader } from "../store/connection.ts";
import { notePerson } from "../store/provider-people.ts";
import type { LoginParts } from "./login.ts";
import type { Person } from "./person.ts";
import type { FromProvider } from "./provider-login.ts";
import { registerPerson } from "./registration.ts";

/**
 * Lets in a person who comes from an identity provider. At their first login they are registered and
 * given the provider's default role; at every login, what their groups at the provider are mapped to
 * applies for the session.
 *
 * @example const person = await admit(parts, call, provider, described, { knownOnly: false });
 */
export function admit(
  { engine }: LoginParts,
  call: Call,
  provider: IdentityProvider,
  described: FromProvider,
  { knownOnly }: { knownOnly: boolean },
): Promise<Person> {
  const { act, email, profile, externalId, groups } = described;
  const identity = literalIdentityUid(act.iss, act.sub);
  return engine.store.write(async (tx) => {
    const change = new Change(call, tx, engine, identity);
    if (knownOnly && !(await engine.identities.table.keep(tx, identity))) {
      throw new WharfError(
        "NOT_FOUND",
        "there is no account for this person: registration required",
      );
    }
    if (!(await isWelcome(tx, provider.uid, externalId))) {
      throw new WharfError(
        "PERMISSION_DENIED",
        "the identity provider has not provisioned this person, or has deactivated them",
      );
    }
    await registerPerson(change, described);
    if (await notePerson(tx, provider.uid, identity, externalId)) {
      await bind(change, parentOf(provider.uid), provider.defaultRole, identity);
    }
    const provisioned = await provisionedGroups(tx, provider.uid, externalId);
    const mappings = await mappingsFor(tx, provider.uid, [...groups, ...provisioned]);
    const uids = mappings.map(({ uid }) => uid);
    return { identity, provider: provider.uid, act, email, profile, mappings: uids };
  });
}

/** The groups that provisioning says a person is in, under both names that it has for them. */
async function provisionedGroups(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<string[]> {
  if (!(await isProvisioned(reader, provider))) return [];
  const user = await scimUserFor(reader, provider, externalId);
  if (user === undefined) return [];
  const groups = await scimGroupsOf(reader, provider, user.id);
  return groups.flatMap((group) => [group.externalId, group.displayName]).filter(Boolean);
}
