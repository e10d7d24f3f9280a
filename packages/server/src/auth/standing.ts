import {
  type Identity,
  type IdentityProvider,
  IdentityProvider_OIDC_CorrelationRule,
  isRoot,
  isSelfOrBelow,
  parentOf,
  rootOf,
} from "@wharf/contract";
import type { Reader } from "../store/db/connection.ts";
import {
  externalIdOf,
  groupsJoinedThrough,
  providersOfPerson,
  type SignInClient,
} from "../store/tables/login/provider-people.ts";
import type { StoredSession } from "../store/tables/login/sessions.ts";
import { isProvisioned, maySignIn } from "./provisioning.ts";

/**
 * Scopes at which the sign-in of a person counts.
 *
 * A person has one identity in the whole installation, identified by issuer and subject, but any tenant
 * can register any issuer with an own client and obtain ID tokens of that issuer's users.
 * So a sign-in through an identity provider counts only
 *  - at and below the provider's own group, and
 *  - at and below groups that the person joined while signed in through that provider and client.
 * A token that the issuer issued for this installation itself (a direct exchange) counts everywhere.
 *
 * In both cases, where an identity provider of the person's issuer is provisioned by SCIM, nothing
 * at or below its group counts unless the person is active there. Each provider decides for its own
 * group alone: otherwise one tenant could deactivate the users of another.
 */
export class Standing {
  /** For workloads and local accounts, which no identity provider authenticates. */
  static readonly EVERYWHERE = new Standing(undefined, new Map());

  /** Groups at and below which the sign-in is trusted; undefined for everywhere. */
  readonly #trusted: readonly string[] | undefined;
  /** Groups whose users are provisioned, and whether the person is active there. */
  readonly #provisioned: ReadonlyMap<string, boolean>;

  constructor(trusted: readonly string[] | undefined, provisioned: ReadonlyMap<string, boolean>) {
    this.#trusted = trusted;
    this.#provisioned = provisioned;
  }

  /** The same for standings that count at the same groups. */
  get key(): string {
    return JSON.stringify([this.#trusted ?? null, [...this.#provisioned]]);
  }

  /** Whether the person's grants at a group count. */
  countsAt(group: string): boolean {
    return this.isTrustedAt(group) && this.isActiveAt(group);
  }

  /** Whether a group trusts the client that the person signed in through. */
  isTrustedAt(group: string): boolean {
    return isWithin(group, this.#trusted);
  }

  /** Whether the person is active at every provisioned identity provider of a group, or above it. */
  isActiveAt(group: string): boolean {
    for (const [scope, active] of this.#provisioned) {
      if (!active && isSelfOrBelow(group, scope)) return false;
    }
    return true;
  }
}

function isWithin(group: string, scopes: readonly string[] | undefined): boolean {
  return scopes?.some((scope) => isSelfOrBelow(group, scope)) ?? true;
}

/** A person, as identified by the issuer. */
export interface PersonKey {
  /** The uid of the identity. */
  readonly identity: string;
  readonly issuer: string;
  readonly subject: string;
}

/** The person whose identity this is; undefined for workloads and local accounts. */
export function personOf({ uid, relationship }: Identity): PersonKey | undefined {
  if (!isRoot(uid) || relationship.case !== "claimMatch") return undefined;
  const { iss, sub } = relationship.value;
  if (iss.case !== "issuer" || sub.case !== "subject") return undefined;
  return { identity: uid, issuer: iss.value, subject: sub.value };
}

/** The fields of a session that decide where it counts. */
export type SignIn = Pick<StoredSession, "provider" | "person">;

/** The OIDC client that a session was started with; undefined for local accounts. */
export function clientOf({ provider, person }: SignIn): SignInClient | undefined {
  const { clientId } = JSON.parse(person) as { clientId?: string };
  return clientId === undefined ? undefined : { provider, clientId };
}

/** Reader of one kind of resource for access. A port: auth is below the engine that stores them. */
export interface Lookup<R> {
  find(reader: Reader, uid: string): Promise<R | undefined>;
  findMany(reader: Reader, uids: Iterable<string>): Promise<Map<string, R>>;
  whereIn(reader: Reader, column: string, values: readonly string[]): Promise<R[]>;
}

/** The standing of a person at groups: in a session, or by a direct exchange where there is none. */
export async function standingOf(
  identityProviders: Lookup<IdentityProvider>,
  reader: Reader,
  person: PersonKey | undefined,
  session: SignIn | undefined,
  groups: readonly string[],
): Promise<Standing> {
  if (person === undefined) return Standing.EVERYWHERE;
  const trusted = session && (await trustedGroups(identityProviders, reader, person, session));
  // Groups that do not trust the sign-in do not count, provisioned or not.
  const relevant = groups.filter((group) => isWithin(group, trusted)).concat(trusted ?? []);
  return new Standing(
    trusted,
    await provisionedGroups(identityProviders, reader, person, relevant),
  );
}

async function trustedGroups(
  identityProviders: Lookup<IdentityProvider>,
  reader: Reader,
  { identity, issuer }: PersonKey,
  session: SignIn,
): Promise<string[]> {
  const provider = await identityProviders.find(reader, session.provider);
  const oidc = provider?.configuration.value;
  const client = clientOf(session);
  // The provider may have been changed to another issuer or client since.
  const isCurrent =
    oidc?.issuer === issuer && oidc.clientId === (client?.clientId ?? oidc.clientId);
  const joined = client === undefined ? [] : await groupsJoinedThrough(reader, identity, client);
  return isCurrent ? [parentOf(session.provider), ...joined] : joined;
}

/** With several providers in one group, a person who is active at one of them is active. */
async function provisionedGroups(
  identityProviders: Lookup<IdentityProvider>,
  reader: Reader,
  person: PersonKey,
  groups: readonly string[],
): Promise<Map<string, boolean>> {
  const provisioned = new Map<string, boolean>();
  const roots = [...new Set(groups.map(rootOf))];
  for (const provider of await identityProviders.whereIn(reader, "root", roots)) {
    const { uid, configuration } = provider;
    if (configuration.value?.issuer !== person.issuer) continue;
    if (!(await isProvisioned(reader, uid))) continue;
    const active = await maySignIn(reader, uid, await externalId(reader, provider, person));
    const group = parentOf(uid);
    provisioned.set(group, active || (provisioned.get(group) ?? false));
  }
  return provisioned;
}

/** The SCIM external id of a person: the subject, or the `oid` claim of the last sign-in. */
function externalId(
  reader: Reader,
  { uid, configuration }: IdentityProvider,
  { identity, subject }: PersonKey,
): Promise<string> | string {
  const { OID_EQUALS_EXTERNAL_ID } = IdentityProvider_OIDC_CorrelationRule;
  const usesOid = configuration.value?.correlationRule === OID_EQUALS_EXTERNAL_ID;
  return usesOid ? externalIdOf(reader, uid, identity) : subject;
}

/**
 * Whether an identity provider that a person has signed in through has deactivated the person. Needed
 * only for people without grants: other people's grants are checked group by group.
 */
export async function isDeactivated(reader: Reader, { identity }: PersonKey): Promise<boolean> {
  for (const { provider, externalId } of await providersOfPerson(reader, identity)) {
    if (!(await maySignIn(reader, provider, externalId))) return true;
  }
  return false;
}
