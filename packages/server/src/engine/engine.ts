import type { DescMethod } from "@bufbuild/protobuf";
import {
  type Advisory,
  CapabilitySet,
  type ExternalGroupRoleMapping,
  type Group,
  type GroupInvite,
  type Identity,
  type IdentityProvider,
  isRoot,
  parentOf,
  type Repo,
  type Role,
  type RoleBinding,
  type Tag,
} from "@wharf/contract";
import { BindingGrants } from "../auth/binding-grants.ts";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import type { Grants } from "../auth/grants.ts";
import { isDeactivated, personOf, standingOf } from "../auth/standing.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import type { Handler } from "../rpc/call.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Store } from "../store/db/store.ts";
import { findSession, type StoredSession } from "../store/tables/sessions.ts";
import type { IssuerPolicy } from "../sts/issuers/issuer-policy.ts";
import { AuditAggregator } from "./audit-aggregator.ts";
import type { ResourceMessage } from "./definition.ts";
import { getMethod } from "./get.ts";
import { listMethod } from "./list.ts";
import { ListScheduler } from "./many-ranges.ts";
import type { PageTokens } from "./page-token.ts";
import type { Resource } from "./resource.ts";
import { Landmarks } from "./skip-index.ts";
import { createMethod, deleteMethod, updateMethod } from "./write.ts";

/** The resources that others refer to by name. */
export interface KnownResources {
  readonly groups: Resource<Group>;
  readonly identities: Resource<Identity>;
  readonly roles: Resource<Role>;
  readonly roleBindings: Resource<RoleBinding>;
  readonly groupInvites: Resource<GroupInvite>;
  readonly identityProviders: Resource<IdentityProvider>;
  readonly externalGroupRoleMappings: Resource<ExternalGroupRoleMapping>;
  readonly repos: Resource<Repo>;
  readonly tags: Resource<Tag>;
  readonly advisories: Resource<Advisory>;
}

/** What the engine is built on. */
export interface EngineParts {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerPolicy;
  /** Where clients find this installation. */
  addresses(): Addresses;
}

/** What the methods of all resources work with. */
export class Engine {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerPolicy;
  readonly addresses: () => Addresses;
  readonly landmarks = new Landmarks();
  readonly lists = new ListScheduler();
  /** Where audit entries go that callers without credentials can cause. */
  readonly auditAggregator: AuditAggregator;
  /** Every resource, for what concerns all of them. */
  readonly resources: readonly Resource[];
  readonly groups: Resource<Group>;
  readonly identities: Resource<Identity>;
  readonly roles: Resource<Role>;
  readonly roleBindings: Resource<RoleBinding>;
  readonly identityProviders: Resource<IdentityProvider>;
  readonly externalGroupRoleMappings: Resource<ExternalGroupRoleMapping>;
  readonly repos: Resource<Repo>;
  readonly tags: Resource<Tag>;
  readonly advisories: Resource<Advisory>;
  readonly #bindingGrants: BindingGrants;

  constructor(parts: EngineParts, known: KnownResources) {
    this.store = parts.store;
    this.auditAggregator = new AuditAggregator(parts.store);
    this.pageTokens = parts.pageTokens;
    this.settings = parts.settings;
    this.secrets = parts.secrets;
    this.issuerPolicy = parts.issuerPolicy;
    this.addresses = () => parts.addresses();
    this.groups = known.groups;
    this.identities = known.identities;
    this.roles = known.roles;
    this.roleBindings = known.roleBindings;
    this.identityProviders = known.identityProviders;
    this.externalGroupRoleMappings = known.externalGroupRoleMappings;
    this.repos = known.repos;
    this.tags = known.tags;
    this.advisories = known.advisories;
    this.resources = Object.values(known) as Resource[];
    const { reader } = parts.store;
    this.#bindingGrants = new BindingGrants(reader, (uids) => this.#capabilitiesOf(uids, reader));
  }

  /**
   * What an identity's role bindings grant it, where they count (see Standing). Undefined when there
   * is no such identity, when the session has ended, and when provisioning leaves a person nothing.
   */
  async grantsOf(
    uid: string,
    reader: Reader = this.store.reader,
    session = "",
  ): Promise<Grants | undefined> {
    if (uid === OPERATOR_UID) return OPERATOR.grants;
    const login = session === "" ? undefined : await this.session(session, reader);
    if (session !== "" && login === undefined) return undefined;
    const identity = await this.identities.find(reader, uid);
    if (identity === undefined) return undefined;
    const assumes = login !== undefined && login.identity !== uid;
    if (assumes && !(await this.mayAssume(uid, login.identity, login, reader))) return undefined;
    // As committed, within a transaction too: if access changes before a transaction that relies on it
    // commits, it runs again.
    const bound = await this.#bindingGrants.of(uid);
    const mapped = login?.identity === uid ? await this.#mapped(login, reader) : [];
    const person = personOf(identity);
    if (person === undefined) return bound.plus(mapped);
    const scopes = [...bound.scopes, ...mapped.map(([scope]) => scope)];
    const standing = await standingOf(this, reader, person, login, scopes);
    const counted = bound
      .where((scope) => standing.countsAt(scope))
      .plus(mapped.filter(([scope]) => standing.isActiveAt(scope)));
    if (counted.size > 0) return counted;
    const isLeftOut = scopes.some((scope) => !standing.isActiveAt(scope));
    return isLeftOut || (await isDeactivated(reader, person)) ? undefined : counted;
  }

  /** What roles grant, by uid. */
  async #capabilitiesOf(uids: readonly string[], reader: Reader) {
    const found = await this.roles.findMany(reader, uids);
    return new Map([...found].map(([uid, role]) => [uid, CapabilitySet.of(...role.capabilities)]));
  }

  /**
   * A session that has not ended. Those of local accounts have while these are switched off.
   *
   * @example const session = await engine.session(token.session);
   */
  async session(
    id: string,
    reader: Reader = this.store.reader,
  ): Promise<StoredSession | undefined> {
    const found = await findSession(reader, id);
    return found?.provider === "" && !this.settings.localAccounts ? undefined : found;
  }

  /**
   * Whether the sign-in of an actor counts at the group of an identity, which may then trust the
   * actor's tokens to speak for it.
   */
  async mayAssume(
    uid: string,
    actor: string,
    session: StoredSession | undefined,
    reader: Reader = this.store.reader,
  ): Promise<boolean> {
    const found = await this.identities.find(reader, actor);
    if (found === undefined || isRoot(uid)) return false;
    const group = parentOf(uid);
    return (await standingOf(this, reader, personOf(found), session, [group])).countsAt(group);
  }

  /** What the groups that a person was in when they signed in give them, while they are mapped. */
  async #mapped({ mappings }: StoredSession, reader: Reader) {
    const uids = JSON.parse(mappings) as string[];
    const found = [...(await this.externalGroupRoleMappings.findMany(reader, uids)).values()];
    const roles = found.map(({ roleUid }) => roleUid);
    const capabilities = await this.#capabilitiesOf(roles, reader);
    return found.map(({ scope, roleUid }) => {
      return [scope, capabilities.get(roleUid) ?? CapabilitySet.EMPTY] as const;
    });
  }

  /**
   * The handlers of a resource's service, by method: the five by their names, the others from the
   * definition, or from the caller where they need more than the engine has.
   *
   * @example for (const [method, handler] of engine.handlers(groups, extra)) …
   */
  *handlers<R extends ResourceMessage>(
    resource: Resource<R>,
    extra: ReadonlyMap<DescMethod, Handler>,
  ): Iterable<[DescMethod, Handler]> {
    const { service, methods } = resource.definition;
    const special = methods?.(this) ?? {};
    for (const method of service.methods) {
      const handler = extra.get(method) ?? special[method.name] ?? this.#standard(resource, method);
      if (handler === undefined)
        throw new Error(`${service.typeName}/${method.name} has no handler`);
      yield [method, handler];
    }
  }

  #standard<R extends ResourceMessage>(
    resource: Resource<R>,
    method: DescMethod,
  ): Handler | undefined {
    const { name } = resource.definition.schema;
    if (method.name === `Get${name}`) return getMethod(resource, method, this);
    if (method.name === `Create${name}`) return createMethod(resource, method, this);
    if (method.name === `Update${name}`) return updateMethod(resource, method, this);
    if (method.name === `Delete${name}`) return deleteMethod(resource, this);
    if (method.name.startsWith("List") && method.output.fields[0]?.message?.name === name) {
      return listMethod(resource, method, this);
    }
    return undefined;
  }
}
