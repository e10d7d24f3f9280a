import type { Access } from "../auth/access.ts";
import type { TokenSealer } from "../lib/crypto/token-sealer.ts";
import { ownerOf } from "../lib/scheduling/share.ts";
import { TimeSlices } from "../lib/scheduling/time-slices.ts";
import type { Store } from "../store/db/store.ts";
import { AuditAggregators, type AuditedDeps } from "./audit/aggregator.ts";
import type { Catalog } from "./catalog.ts";
import type { HookDeps, MethodDeps } from "./definition.ts";
import { ResourceHooks } from "./hooks.ts";
import { ENGINE_LIMITS, type EngineLimits } from "./limits.ts";
import { Lists } from "./list/lists.ts";
import type { PageTokens } from "./list/page-token.ts";
import { Creates } from "./write/creates.ts";

export interface EngineDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly access: Access;
  readonly pageTokens: PageTokens;
  /** Seals the stored responses of creates. */
  readonly responseSealer: TokenSealer;
  /** Dependencies of the hooks of definitions outside the engine. */
  readonly hooks: HookDeps;
  readonly limits?: EngineLimits;
}

/** The parts of the engine. Only the composition root has all of them: everything else declares those it uses. */
export interface Engine extends MethodDeps, AuditedDeps {
  /** The event loop's time for requests and long tasks. */
  readonly slices: TimeSlices;
}

export function createEngine({ store, catalog, access, ...deps }: EngineDeps): Engine {
  const { pageTokens, responseSealer, limits = ENGINE_LIMITS } = deps;
  const { sliceMs, waiting: maxQueued, waitingPerOwner: maxQueuedPerKey } = limits;
  const slices = new TimeSlices(sliceMs, undefined, { maxQueuedPerKey, maxQueued });
  store.onWork = (holder, ms) => slices.charge(ownerOf(holder), ms);
  const isOrganization = async (uid: string) =>
    (await catalog.groups.table.find(store.reader, uid, "data")) !== undefined;
  return {
    ...{ store, catalog, access, slices, limits },
    hooks: new ResourceHooks(catalog, deps.hooks),
    lists: new Lists(pageTokens, limits, slices),
    creates: new Creates(store, responseSealer),
    audit: new AuditAggregators(store, isOrganization),
  };
}
