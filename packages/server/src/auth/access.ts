import {
  CapabilitySet,
  type ExternalGroupRoleMapping,
  type Identity,
  type IdentityProvider,
  isRoot,
  parentOf,
  type Role,
} from "@wharf/contract";
import type { Reader } from "../store/db/connection.ts";
import type { Store } from "../store/db/store.ts";
import { findSession, type StoredSession } from "../store/tables/login/sessions.ts";
import { BindingGrants } from "./binding-grants.ts";
import { type Caller, OPERATOR, OPERATOR_UID } from "./caller.ts";
import type { Grants } from "./grants.ts";
import { hasLastingSignIn } from "./lasting-sign-in.ts";
import { browserSignInOf } from "./recent-sign-in.ts";
import {
  isDeactivated,
  type Lookup,
  type PersonKey,
  personOf,
  type SignIn,
  type Standing,
  standingOf,
} from "./standing.ts";

/** The resources that decide what an identity may do. */
export interface AccessResources {
  readonly identities: Lookup<Identity>;
  readonly roles: Lookup<Role>;
  readonly identityProviders: Lookup<IdentityProvider>;
  readonly externalGroupRoleMappings: Lookup<ExternalGroupRoleMapping>;
}

export interface AccessDeps {
  readonly store: Store;
  readonly resources: AccessResources;
  /** Whether people can sign in with accounts of this installation. */
  readonly localAccounts: boolean;
}

/** The grants of an identity, its name, and the sign-in of the browser session that it acts in. */
export type NamedGrants = Pick<Caller, "name" | "grants" | "signedIn">;

/** Capabilities that a role mapping grants at a scope. */
type MappedGrant = readonly [scope: string, capabilities: CapabilitySet];

/** The grants and sessions of identities. */
export class Access {
  readonly #deps: AccessDeps;
  readonly #bindingGrants: BindingGrants;
  /** By the grants of role bindings; those without any share `Grants.NONE`, whose last result is replaced. */
  readonly #lastCounted = new WeakMap<Grants, { readonly key: string; readonly grants: Grants }>();

  constructor(deps: AccessDeps) {
    this.#deps = deps;
    const { reader } = deps.store;
    this.#bindingGrants = new BindingGrants(reader, (uids) => this.#capabilitiesOf(uids, reader));
  }

  get #reader(): Reader {
    return this.#deps.store.reader;
  }

  /**
   * Grants by an identity's role bindings, where they count (see Standing). Undefined when there
   * is no such identity, when the session has expired, and when provisioning leaves a person nothing.
   */
  async grantsOf(
    uid: string,
    reader: Reader = this.#reader,
    session = "",
  ): Promise<Grants | undefined> {
    return (await this.find(uid, reader, session))?.grants;
  }

  /** Like `grantsOf`, with the name of the identity and the sign-in of the session. */
  async find(
    uid: string,
    reader: Reader = this.#reader,
    session = "",
  ): Promise<NamedGrants | undefined> {
    if (uid === OPERATOR_UID) return OPERATOR;
    const login = session === "" ? undefined : await this.session(session, reader);
    if (session !== "" && login === undefined) return undefined;
    const identity = await this.#deps.resources.identities.find(reader, uid);
    if (identity === undefined) return undefined;
    const assumes = login !== undefined && login.identity !== uid;
    if (assumes && !(await this.mayAssume(uid, login.identity, login, reader))) return undefined;
    // Reads committed bindings, within a transaction too: if access changes before a transaction that
    // relies on it commits, the transaction runs again.
    const bound = await this.#bindingGrants.of(uid);
    const mapped = login?.identity === uid ? await this.#mapped(login, reader) : [];
    const person = personOf(identity);
    const subject = { name: identity.name, signedIn: login && browserSignInOf(login) };
    if (person === undefined) return { ...subject, grants: bound.plus(mapped) };
    const scopes = [...bound.scopes, ...mapped.map(([scope]) => scope)];
    const standing = await this.standingOf(reader, person, login, scopes);
    const counted = this.#counted(bound, mapped, standing);
    if (counted.size > 0) return { ...subject, grants: counted };
    const isLeftOut = scopes.some((scope) => !standing.isActiveAt(scope));
    if (isLeftOut || (await isDeactivated(reader, person))) return undefined;
    return { ...subject, grants: counted };
  }

  /**
   * The grants that count. The same object as before unless something has changed: what lists derive from grants is kept
   * with it.
   */
  #counted(bound: Grants, mapped: readonly MappedGrant[], standing: Standing): Grants {
    const mappedKeys = mapped.map(([scope, capabilities]) => [scope, capabilities.toArray()]);
    const key = JSON.stringify([standing.key, mappedKeys]);
    const cached = this.#lastCounted.get(bound);
    if (cached?.key === key) return cached.grants;
    const grants = bound
      .where((scope) => standing.countsAt(scope))
      .plus(mapped.filter(([scope]) => standing.isActiveAt(scope)));
    this.#lastCounted.set(bound, { key, grants });
    return grants;
  }

  /** A session that has not expired. Sessions of local accounts are void while these are disabled. */
  async session(id: string, reader: Reader = this.#reader): Promise<StoredSession | undefined> {
    const found = await findSession(reader, id);
    return found?.provider === "" && !this.#deps.localAccounts ? undefined : found;
  }

  /**
   * Whether the sign-in of an actor counts at the group of an identity. If it does, the identity may
   * trust the actor's tokens to speak for it.
   */
  async mayAssume(
    uid: string,
    actor: string,
    session: StoredSession | undefined,
    reader: Reader = this.#reader,
  ): Promise<boolean> {
    const found = await this.#deps.resources.identities.find(reader, actor);
    if (found === undefined || isRoot(uid)) return false;
    const group = parentOf(uid);
    return (await this.standingOf(reader, personOf(found), session, [group])).countsAt(group);
  }

  /** The standing of a person at groups: in a session, or by a direct exchange where there is none. */
  standingOf(
    reader: Reader,
    person: PersonKey | undefined,
    session: SignIn | undefined,
    groups: readonly string[],
  ): Promise<Standing> {
    const { identityProviders } = this.#deps.resources;
    return standingOf(identityProviders, reader, person, session, groups);
  }

  /** Whether an identity can authenticate with its grants at a group until somebody changes that. */
  hasLastingSignIn(
    reader: Reader,
    identity: Identity,
    group: string,
    ignoredProvider?: string,
  ): Promise<boolean> {
    const { resources, localAccounts } = this.#deps;
    const deps = { identityProviders: resources.identityProviders, localAccounts };
    return hasLastingSignIn(deps, reader, identity, group, ignoredProvider);
  }

  /** Capabilities of roles, by uid. */
  async #capabilitiesOf(uids: readonly string[], reader: Reader) {
    const found = await this.#deps.resources.roles.findMany(reader, uids);
    return new Map([...found].map(([uid, role]) => [uid, CapabilitySet.of(...role.capabilities)]));
  }

  /** The role mappings that name external groups of a person at sign-in, and still exist. */
  async mappingsOf(
    { mappings }: Pick<StoredSession, "mappings">,
    reader: Reader = this.#reader,
  ): Promise<ExternalGroupRoleMapping[]> {
    const uids = JSON.parse(mappings) as string[];
    const { externalGroupRoleMappings } = this.#deps.resources;
    return [...(await externalGroupRoleMappings.findMany(reader, uids)).values()];
  }

  /** Grants by the external groups of a person at sign-in. */
  async #mapped(session: StoredSession, reader: Reader) {
    const found = await this.mappingsOf(session, reader);
    const roles = found.map(({ roleUid }) => roleUid);
    const capabilities = await this.#capabilitiesOf(roles, reader);
    return found.map(({ scope, roleUid }) => {
      return [scope, capabilities.get(roleUid) ?? CapabilitySet.EMPTY] as const;
    });
  }
}
