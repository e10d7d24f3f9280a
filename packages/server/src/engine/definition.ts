import type { DescService, Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Reach } from "../auth/grants.ts";
import type { Handler } from "../rpc/call.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Condition, Order } from "../store/resources/query.ts";
import type { Engine } from "./engine.ts";
import type { MaskPath } from "./mask.ts";
import type { Change } from "./mutation.ts";
import type { Limited } from "./quotas.ts";

/** What every resource of version 2 has. */
export type ResourceMessage = Message & {
  uid: string;
  name?: string | undefined;
  createTime?: Timestamp | undefined;
  updateTime?: Timestamp | undefined;
};

/** A column that resources are found by. */
export interface FilterDefinition<R> {
  /** The field of the list request that filters by it, by its name in the generated code. */
  readonly field?: string;
  /** A column of its own, filled by `of`, or one of the common ones. */
  readonly column: string;
  readonly type: "text" | "integer" | "common";
  /**
   * Whether the field is a time that the column must be later than, or not earlier than; else they
   * must be equal.
   */
  readonly isBound?: boolean | "inclusive";
  readonly of?: (resource: R) => string | number;
  /** Whether the column is empty in most rows. */
  readonly sparse?: boolean;
  /** Whether it holds the uid of a role, which cannot be deleted as long as it does. */
  readonly isRole?: boolean;
}

/** Something that resources are found by, and of which a resource can have several, such as aliases. */
export interface TermDefinition<R> {
  /** Names it in the store. */
  readonly kind: string;
  readonly of: (resource: R) => readonly (string | number)[];
  /** The field of the list request that asks for those with any of its values. */
  readonly field: string;
  /** Another field that takes this one's place where it is set, and the kind of term that it asks for. */
  readonly insteadBy?: { readonly field: string; readonly kind: string };
  /** The field that asks for those with none of its values. */
  readonly excludedBy?: string;
  /** Whether `textField` looks into it. */
  readonly isSearched?: boolean;
}

/**
 * How the rows of a resource are told apart in parts, so that lists of some of them, and their
 * totals, cost no more than lists of all.
 */
export interface Parts<R> {
  /** All that there are, by number. */
  readonly all: readonly number[];
  /** Which one a resource is in. */
  of(resource: R): number;
  /** Which ones a list request asks for. */
  wanted(request: Message): readonly number[];
}

/**
 * All that the engine does not know by itself about a resource. With the service in the contract
 * this is enough to list, get, create, update and delete it.
 */
export interface ResourceDefinition<R extends ResourceMessage> {
  readonly service: DescService;
  readonly schema: GenMessage<R>;
  /** Its table; also the word for several of it in messages, underscores as spaces. */
  readonly table: string;
  /** Whether other resources live below it, and access is granted at it. */
  readonly isPlace?: boolean;
  /** Whether other resources live below it, though access is not granted at it. */
  readonly hasChildren?: boolean;
  /** Whether a group has at most one, which has no uid of its own but goes by the group's. */
  readonly uidIsParent?: boolean;
  /** Whether those without a parent can be seen by everyone who is known. */
  readonly rootsAreShared?: boolean;
  /** Whether creating, changing or deleting one changes who may do what. */
  readonly changesAccess?: boolean;
  /**
   * Where rows decide what role bindings grant: the column of the identity that a row concerns, or
   * ALL_IDENTITIES. Compiled grants of others are not compiled again after a change.
   */
  readonly grantsOf?: string;
  /** Columns of indexes beside those of orders and filters. */
  readonly indexes?: readonly (readonly string[])[];
  /** Whether deleting what does not exist succeeds. */
  readonly deleteIsIdempotent?: boolean;
  /** The only fields that events tell, where not all of them are for everyone. */
  readonly eventFields?: readonly (keyof R & string)[];
  /** A secret that `beforeCreate` makes, and that the answer to Create alone carries. */
  readonly shownOnce?: keyof R & string;
  /** The order of lists that ask for none: always the same, or as it follows from what is asked. */
  readonly defaultOrder?: Order | ((request: Message) => Order);
  readonly filters?: readonly FilterDefinition<R>[];
  /**
   * Whether all that is written in one transaction has an update time of its own, later than that of
   * whatever was written before it.
   */
  readonly updatesAscend?: boolean;
  readonly terms?: readonly TermDefinition<R>[];
  /** The field of the list request that asks for a text within the terms that are searched. */
  readonly textField?: string;
  /**
   * Turns the conditions of a list request into those that stored rows are found by, where that takes
   * looking something up. Only what is within the caller's reach may be looked at.
   */
  readonly resolve?: (
    reader: Reader,
    filters: readonly Condition[],
    reach: Reach,
  ) => Promise<readonly Condition[]>;
  /** Whether no two of one place have the same name; a second one is ALREADY_EXISTS. */
  readonly uniqueNames?: boolean;
  /** What its row has as its name, where it has no field `name`. Lists are not ordered by it. */
  readonly nameOf?: (resource: R) => string;
  /** With `parts`: whether there may be more of it below its place, as groups are below groups. */
  readonly isInGroups?: boolean;
  /** The limit of groups (`resourceLimits`) that counts these. */
  readonly limitedAs?: Limited;
  readonly parts?: Parts<R>;
  /**
   * Where deleting is soft: the part that holds deleted rows, and for how long these keep their group
   * from being deleted. After that they go with the group.
   */
  readonly remains?: { readonly part: number; readonly keptMs: number };
  /** Times that the children of one place are often listed by, where one place has very many. */
  readonly childOrders?: readonly ("created" | "updated")[];

  /**
   * Where a new one goes, from the parent that the caller gave: the uid of its place, or "" for
   * none. By default the parent is the uid of an existing group.
   */
  place?(change: Change, parent: string): Promise<string>;
  /** Fills in what a caller may leave out, before a new or changed one is checked. */
  settle?(resource: R, before: R | undefined): void;
  /** Checks a new one and fills in what the service sets. */
  beforeCreate?(change: Change, created: R): Promise<void> | void;
  afterCreate?(change: Change, created: R): Promise<void>;
  /** Checks a change and fills in what the service sets. The mask says what was asked to change. */
  beforeUpdate?(
    change: Change,
    before: R,
    after: R,
    mask: readonly MaskPath[],
  ): Promise<void> | void;
  /** Refuses, or removes what goes with it. */
  beforeDelete?(change: Change, deleted: R): Promise<void>;
  /** Fills in what is kept elsewhere, on every answer. */
  hydrate?(reader: Reader, resources: readonly R[], engine: Engine): Promise<void>;
  /** Fills in what only answers that hold one alone tell; lists leave it out. */
  hydrateOne?(reader: Reader, resource: R, engine: Engine): Promise<void>;
  /** Methods of the service that are not among the five, by their names in the contract. */
  methods?(engine: Engine): Readonly<Record<string, Handler>>;
}
