import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Reach } from "../auth/grants.ts";
import type { Call, Handler } from "../rpc/call.ts";
import type { Lock } from "../store/db/commit/locked-rows.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Condition, Order } from "../store/resources/query.ts";
import type { Catalog } from "./catalog.ts";
import type { EngineLimits } from "./limits.ts";
import type { ListDeps } from "./list/lists.ts";
import type { Quota } from "./quotas.ts";
import type { CreateDeps } from "./write/creates.ts";
import type { MaskPath } from "./write/mask.ts";
import type { Mutation } from "./write/mutation.ts";

/** The fields that every resource of version 2 has. */
export type ResourceMessage = Message & {
  uid: string;
  name?: string | undefined;
  createTime?: Timestamp | undefined;
  updateTime?: Timestamp | undefined;
};

/**
 * Definition of a kind of resource. Together with the service in the contract this is
 * enough to get, list, create, update and delete it.
 */
export interface ResourceDefinition<R extends ResourceMessage> {
  readonly service: DescService;
  readonly schema: GenMessage<R>;
  /** The name of its table; also its plural in messages, underscores as spaces. */
  readonly table: string;
  readonly tree?: TreeDefinition;
  readonly index?: IndexDefinition<R>;
  /** Tombstones that Delete leaves: clients that mirror a list learn of deletions from them. */
  readonly softDelete?: SoftDelete;
  /** Whether creating, updating or deleting a resource changes what callers may do. */
  readonly changesAccess?: boolean;
  /**
   * Column of the identity whose grants a row affects, where rows decide what role bindings grant, or
   * ALL_IDENTITIES. After a change the grants of other identities are not compiled again.
   */
  readonly grantsOf?: string;
  /** The quota of groups (`resourceLimits`) that counts these resources. */
  readonly quota?: Quota;
  /** Whether deleting a resource that does not exist succeeds. */
  readonly deleteIsIdempotent?: boolean;
  /** The fields in events, where receivers of events must not see all of them. */
  readonly eventFields?: readonly (keyof R & string)[];
  /** A secret that `beforeCreate` sets. Only the response of Create has it. */
  readonly secretOnCreate?: keyof R & string;
  /** Fills in what is stored elsewhere, in every response. No hook: it decides how rows are stored. */
  hydrate?(reader: Reader, resources: readonly R[], catalog: Catalog): Promise<void>;
  /** Whether rows have JSON despite `hydrate`: replicas of an earlier release, without it, list that. */
  readonly storesJson?: boolean;
  /** Checks, defaults and side effects. A function is called once, at startup. */
  readonly hooks?: Hooks<R> | ((deps: HookDeps) => Hooks<R>);
  /** Handlers of methods beside the generic five, and of those that replace one of the five. */
  methods?(deps: MethodDeps): Iterable<readonly [DescMethod, Handler]>;
  /** Methods with the name of a generic one that the area binds itself at startup. */
  readonly boundByArea?: readonly DescMethod[];
}

/** Dependencies of the methods of resources. */
export interface MethodDeps extends CreateDeps, ListDeps {
  readonly limits: EngineLimits;
}

/** Position of a kind of resource in the tree of groups. */
export interface TreeDefinition {
  /** Whether other resources are its children, and access is granted at it. */
  readonly isScope?: boolean;
  /** Whether other resources are its children, though access is not granted at it. */
  readonly hasChildren?: boolean;
  /** Whether a group has at most one, which has the uid of the group. */
  readonly uidIsParent?: boolean;
  /** Whether every authenticated caller sees those without a parent. */
  readonly rootsAreShared?: boolean;
  /** Whether names are unique below a parent; a second resource of a name is ALREADY_EXISTS. */
  readonly uniqueNames?: boolean;
}

/** Columns by which lists of a resource filter and order. */
export interface IndexDefinition<R extends ResourceMessage> {
  readonly filters?: readonly FilterDefinition<R>[];
  readonly terms?: readonly TermDefinition<R>[];
  /** The field of the list request that searches the terms with `isSearched`. */
  readonly textField?: string;
  /**
   * Translates the conditions of a list request to those of stored rows, where that needs a lookup. It
   * must read nothing outside the caller's reach.
   */
  readonly resolve?: (
    reader: Reader,
    filters: readonly Condition[],
    reach: Reach,
  ) => Promise<readonly Condition[]>;
  /** The order of lists that ask for none: constant, or derived from the request. */
  readonly defaultOrder?: Order | ((request: Message) => Order);
  /** Kinds of terms that lists can be ordered by, by the name of the sort key. */
  readonly termOrders?: Readonly<Record<string, string>>;
  /** Times that the children of one parent are often listed by, where a parent has very many. */
  readonly childOrders?: readonly ("created" | "updated")[];
  readonly partitions?: Partitions<R>;
  /** Columns of indexes beside those of orders and filters. */
  readonly columns?: readonly (readonly string[])[];
  /** The name in its row, where it has no field `name`. Lists cannot be ordered by it. */
  readonly nameOf?: (resource: R) => string;
  /** Whether each transaction has an update time of its own, later than those of earlier ones. */
  readonly monotonicUpdateTime?: boolean;
}

/** A column that lists filter by. */
export interface FilterDefinition<R> {
  /** The field of the list request that filters by it, by its name in the generated code. */
  readonly field?: string;
  /** A column of its own, filled by `of`, or one of the common ones. */
  readonly column: string;
  readonly type: "text" | "integer" | "common";
  /** Whether the field is a lower bound of a time, exclusive or inclusive; otherwise values must be equal. */
  readonly isBound?: boolean | "inclusive";
  readonly of?: (resource: R) => string | number;
  /** Whether the column is empty in most rows. */
  readonly sparse?: boolean;
  /** Whether it is the uid of a role, which cannot be deleted while a row references it. */
  readonly referencesRole?: boolean;
}

/** A multi-valued attribute that lists filter by, such as aliases. */
export interface TermDefinition<R> {
  /** Identifies it in the store. */
  readonly kind: string;
  readonly of: (resource: R) => readonly (string | number)[];
  /** The field of the list request that asks for resources with any of its values. */
  readonly field: string;
  /** A field that replaces this one where it is set, and the kind of term that it asks for. */
  readonly overriddenBy?: { readonly field: string; readonly kind: string };
  /** The field that asks for resources with none of its values. */
  readonly excludedBy?: string;
  /** Whether `textField` searches it. */
  readonly isSearched?: boolean;
}

/**
 * Splits the rows of a resource into partitions, so that lists of some of them, and their totals, cost
 * no more than lists of all.
 */
export interface Partitions<R> {
  /** All partitions, by number. */
  readonly all: readonly number[];
  /** Whether groups below the parent of a row can have rows as well. */
  readonly spanGroups?: boolean;
  /** The partition of a resource. */
  of(resource: R): number;
  /** The partitions that a list request asks for. */
  requested(request: Message): readonly number[];
}

export interface SoftDelete {
  /** The partition of tombstones. */
  readonly partition: number;
  /** Time for which a tombstone blocks the deletion of its group. Older ones are deleted with the group. */
  readonly retentionMs: number;
}

/**
 * Dependencies of hooks outside the engine, by area. An area whose hooks need something adds a member
 * to this type, and the composition root has to supply it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: areas add the members
export interface HookDeps {}

/** Behavior of a kind of resource beside storage: checks, defaults and side effects. */
export interface Hooks<R extends ResourceMessage> {
  /**
   * The uid of the parent of a new resource, or "" for none, from the parent that the caller gave. By
   * default that is the uid of an existing group.
   */
  resolveParent?(mutation: Mutation, parent: string): Promise<string>;
  /** Locks of a create besides its parent. Saves round trips, and changes nothing else. */
  locksOfCreate?(parent: string, input: R): readonly Lock[];
  /** Fills in what a caller may omit, before a new or changed resource is validated. */
  applyDefaults?(resource: R, before: R | undefined, call: Call): void;
  /** Checks a new resource and sets what the service sets. */
  beforeCreate?(mutation: Mutation, created: R): Promise<void> | void;
  afterCreate?(mutation: Mutation, created: R): Promise<void>;
  /** Checks an update and sets what the service sets. The mask names the fields to update. */
  beforeUpdate?(
    mutation: Mutation,
    before: R,
    after: R,
    mask: readonly MaskPath[],
  ): Promise<void> | void;
  /** Rejects the deletion, or deletes what depends on the resource. */
  beforeDelete?(mutation: Mutation, deleted: R): Promise<void>;
  /** Fills in what only responses with a single resource have; lists omit it. */
  hydrateDetail?(reader: Reader, resource: R): Promise<void>;
}
