import type { DescMethod } from "@bufbuild/protobuf";
import {
  type Advisory,
  CapabilitySet,
  type ExternalGroupRoleMapping,
  type Group,
  type GroupInvite,
  type Identity,
  type IdentityProvider,
  parentOf,
  type Repo,
  type Role,
  type RoleBinding,
  type Tag,
} from "@wharf/contract";
import type { Addresses } from "../addresses.ts";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import { Grants } from "../auth/grants.ts";
import type { Settings } from "../config.ts";
import type { Handler } from "../rpc/call.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Reader } from "../store/connection.ts";
import { findSession, type StoredSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { IssuerPolicy } from "../sts/issuer-policy.ts";
import { AuditAggregator } from "./audit-aggregator.ts";
import type { ResourceMessage } from "./definition.ts";
import { getMethod } from "./get.ts";
import { Landmarks } from "./landmarks.ts";
import { listMethod } from "./list.ts";
import type { PageTokens } from "./page-token.ts";
import type { Resource } from "./resource.ts";
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
  }

  /**
   * What an identity's role bindings grant it; undefined when there is no such identity, or the
   * session that it is asked for in has ended.
   *
   * @example const grants = await engine.grantsOf(identity);
   */
  async grantsOf(
    identity: string,
    reader: Reader = this.store.reader,
    session = "",
  ): Promise<Grants | undefined> {
    if (identity === OPERATOR_UID) return OPERATOR.grants;
    const login = session === "" ? undefined : await this.session(session, reader);
    if (session !== "" && login === undefined) return undefined;
    if ((await this.identities.table.find(reader, identity, "data")) === undefined)
      return undefined;
    const filter = { column: "identity_uid", value: identity };
    const bindings = await this.roleBindings.where(reader, filter);
    const bound = bindings.map(({ uid, roleUid }) => ({ place: parentOf(uid), roleUid }));
    const given = login?.identity === identity ? await this.#mapped(login, reader) : [];
    const all = [...bound, ...given];
    const roles = await this.roles.findMany(
      reader,
      all.map(({ roleUid }) => roleUid),
    );
    return Grants.at(
      all.map(({ place, roleUid }) => {
        return [place, CapabilitySet.of(...(roles.get(roleUid)?.capabilities ?? []))] as const;
      }),
    );
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

  /** What the groups that a person was in when they logged in give them, while they are mapped. */
  async #mapped({ mappings }: StoredSession, reader: Reader) {
    const uids = JSON.parse(mappings) as string[];
    const found = await this.externalGroupRoleMappings.findMany(reader, uids);
    return [...found.values()].map(({ scope, roleUid }) => ({ place: scope, roleUid }));
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
