import type { Access } from "../auth/access.ts";
import type { TokenSealer } from "../lib/crypto/token-sealer.ts";
import { ownerOf } from "../lib/scheduling/share.ts";
import { TimeSlices } from "../lib/scheduling/time-slices.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Store } from "../store/db/store.ts";
import { AuditAggregators } from "./audit/aggregator.ts";
import { type Catalog, resourcesOf } from "./catalog.ts";
import type { HookDeps, Hooks, ResourceMessage } from "./definition.ts";
import { ENGINE_LIMITS, type EngineLimits } from "./limits.ts";
import { Lists } from "./list/lists.ts";
import type { PageTokens } from "./list/page-token.ts";
import type { Resource } from "./resource.ts";
import { Creates } from "./write/creates.ts";

export interface EngineDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly access: Access;
  readonly pageTokens: PageTokens;
  /** Seals the stored responses of creates. */
  readonly responseSealer: TokenSealer;
  /** What the hooks of definitions need from outside the engine. */
  readonly hooks: HookDeps;
  readonly limits?: EngineLimits;
}

/** What the methods of all resources share. */
export class Engine {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly access: Access;
  readonly creates: Creates;
  readonly limits: EngineLimits;
  /** The event loop's time for requests and long tasks. */
  readonly slices: TimeSlices;
  readonly lists: Lists;
  readonly audit: AuditAggregators;
  /** Every resource of the catalog, for what concerns all of them. */
  readonly resources: readonly Resource[];
  readonly #hooks: ReadonlyMap<unknown, Hooks<ResourceMessage>>;

  constructor(deps: EngineDeps) {
    const { store, catalog, access, pageTokens, responseSealer, hooks } = deps;
    const { limits = ENGINE_LIMITS } = deps;
    this.limits = limits;
    const { sliceMs, waiting: maxQueued, waitingPerOwner: maxQueuedPerKey } = limits;
    this.slices = new TimeSlices(sliceMs, undefined, { maxQueuedPerKey, maxQueued });
    store.onWork = (holder, ms) => this.slices.charge(ownerOf(holder), ms);
    this.lists = new Lists(pageTokens, limits, this.slices);
    this.store = store;
    this.catalog = catalog;
    this.access = access;
    this.creates = new Creates(store, responseSealer);
    const isOrganization = async (uid: string) =>
      (await catalog.groups.table.find(store.reader, uid, "data")) !== undefined;
    this.audit = new AuditAggregators(store, isOrganization);
    this.resources = resourcesOf(catalog);
    this.#hooks = new Map(
      this.resources.map((resource) => {
        const { hooks: own = {} } = resource.definition;
        return [resource, typeof own === "function" ? own(hooks) : own];
      }),
    );
  }

  /** The hooks of a resource. Throws for one that the catalog lacks: its checks would not run. */
  hooksOf<R extends ResourceMessage>(resource: Resource<R>): Hooks<R> {
    const hooks = this.#hooks.get(resource);
    if (hooks === undefined) throw new Error(`${resource.typeName} is not in the catalog`);
    return hooks as Hooks<R>;
  }

  /** Whether responses with a single resource have more than its row. */
  hydrates<R extends ResourceMessage>(resource: Resource<R>): boolean {
    const { hydrate } = resource.definition;
    return hydrate !== undefined || this.hooksOf(resource).hydrateDetail !== undefined;
  }

  /** Fills in what is stored elsewhere, for a response with a single resource. */
  async hydrateDetail<R extends ResourceMessage>(
    resource: Resource<R>,
    reader: Reader,
    one: R,
  ): Promise<void> {
    await resource.definition.hydrate?.(reader, [one], this.catalog);
    await this.hooksOf(resource).hydrateDetail?.(reader, one);
  }
}

/** The resources and the store that has them, for what needs nothing else of the engine. */
export type ResourceStore = Pick<Engine, "store" | "catalog">;

/** The same with what lists share. */
export type ListedResources = Pick<Engine, "store" | "catalog" | "lists">;
