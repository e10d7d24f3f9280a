import type { DescMethod } from "@bufbuild/protobuf";
import {
  CapabilitySet,
  type Group,
  type Identity,
  parentOf,
  type Role,
  type RoleBinding,
} from "@wharf/contract";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import { Grants } from "../auth/grants.ts";
import type { Settings } from "../config.ts";
import type { Handler } from "../rpc/call.ts";
import type { Reader } from "../store/connection.ts";
import type { Store } from "../store/store.ts";
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
}

/** What the methods of all resources work with. */
export class Engine {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly settings: Settings;
  readonly landmarks = new Landmarks();
  /** Every resource, for what concerns all of them. */
  readonly resources: readonly Resource[];
  readonly groups: Resource<Group>;
  readonly identities: Resource<Identity>;
  readonly roles: Resource<Role>;
  readonly roleBindings: Resource<RoleBinding>;

  constructor(store: Store, pageTokens: PageTokens, settings: Settings, known: KnownResources) {
    this.store = store;
    this.pageTokens = pageTokens;
    this.settings = settings;
    this.groups = known.groups;
    this.identities = known.identities;
    this.roles = known.roles;
    this.roleBindings = known.roleBindings;
    this.resources = Object.values(known) as Resource[];
  }

  /**
   * What an identity's role bindings grant it; undefined when there is no such identity.
   *
   * @example const grants = await engine.grantsOf(identity);
   */
  async grantsOf(
    identity: string,
    reader: Reader = this.store.reader,
  ): Promise<Grants | undefined> {
    if (identity === OPERATOR_UID) return OPERATOR.grants;
    if ((await this.identities.table.find(reader, identity, "data")) === undefined)
      return undefined;
    const bindings = await this.roleBindings.where(reader, {
      column: "identity_uid",
      value: identity,
    });
    const roles = await this.roles.findMany(
      reader,
      bindings.map((binding) => binding.roleUid),
    );
    return Grants.at(
      bindings.map((binding) => {
        const capabilities = roles.get(binding.roleUid)?.capabilities ?? [];
        return [parentOf(binding.uid), CapabilitySet.of(...capabilities)] as const;
      }),
    );
  }

  /**
   * The handlers of a resource's service, by method: the five by their names, the others from the
   * definition.
   *
   * @example for (const [method, handler] of engine.handlers(groups)) …
   */
  *handlers<R extends ResourceMessage>(resource: Resource<R>): Iterable<[DescMethod, Handler]> {
    const { service, methods } = resource.definition;
    const special = methods?.(this) ?? {};
    for (const method of service.methods) {
      const handler = special[method.name] ?? this.#standard(resource, method);
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
