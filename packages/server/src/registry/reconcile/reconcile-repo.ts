import { randomUUID } from "node:crypto";
import { OPERATOR_UID } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Logger } from "../../observe/logger.ts";
import { findLocation } from "../../store/tables/registry-locations.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { removeLocationInBatches } from "../ingest/removal.ts";
import type { MutationOrigin } from "../ingest/system-mutation.ts";
import { resolvePath } from "../path.ts";
import { reconcileTags, removeGoneTags } from "./reconcile-tags.ts";

/** The result of reconciling a repository: tags by outcome, and manifests fetched. */
export interface Findings {
  same: number;
  created: number;
  moved: number;
  removed: number;
  manifests: number;
}

export interface ReconcileDeps {
  readonly engine: Engine;
  readonly remote: RemoteRegistry;
  /** All attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  /** Architectures read during this pass, by digest of the image configuration. */
  readonly architectures: BoundedCache<string, string>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** One repository of a registry while it is being reconciled. */
export interface RepoReconciliation extends ReconcileDeps {
  readonly path: string;
  /** The uid of the repo; undefined until it is created, with the first of its tags. */
  readonly repo: string | undefined;
  /** Whether the store has this path as a location of the repo. */
  readonly isLocationStored: boolean;
  /** All tags that the registry lists. */
  readonly names: ReadonlySet<string>;
  /** When they were listed: later changes win over what the list says. */
  readonly time: number;
  readonly origin: MutationOrigin;
}

/** Tags fetched and written together. */
const TAG_BATCH_SIZE = 100;

/**
 * Updates the stored state of one repository of a registry. Returns undefined if its path resolves to
 * nothing here. Rejects if the registry cannot be reached; batches written before that stay.
 */
export async function reconcileRepo(
  deps: ReconcileDeps,
  path: string,
): Promise<Findings | undefined> {
  const { engine, remote } = deps;
  const { host } = remote;
  const { store } = engine;
  const findings = { same: 0, created: 0, moved: 0, removed: 0, manifests: 0 };
  const origin = reconcilerOrigin();
  const listing = await listTags(deps, path);
  const location = await findLocation(store.reader, host, path);
  if (listing === undefined) {
    if (location === undefined) return findings;
    await removeLocationInBatches(deps, { ...location, time: origin.time }, origin);
    return findings;
  }
  // An empty repository needs no repo here.
  if (location === undefined && listing.names.size === 0) return findings;
  const resolved = await resolvePath(engine, store.reader, path);
  if (resolved === undefined) return undefined;
  let { repo } = resolved;
  let isLocationStored = location !== undefined && location.repo === repo;
  // A folder was renamed, so the path now resolves to another repo: the former one loses its contents.
  if (location !== undefined && !isLocationStored)
    await removeLocationInBatches(deps, { ...location, time: origin.time }, origin);
  const reconciliation = { ...deps, ...listing, path, origin };
  const names = [...listing.names];
  for (let at = 0; at < names.length; at += TAG_BATCH_SIZE) {
    const batch = names.slice(at, at + TAG_BATCH_SIZE);
    repo = await reconcileTags({ ...reconciliation, repo, isLocationStored }, batch, findings);
    if (repo === undefined) return undefined;
    isLocationStored = true;
  }
  if (repo !== undefined) {
    await removeGoneTags({ ...reconciliation, repo, isLocationStored }, findings);
  }
  return findings;
}

/** All tags of a repository; undefined if the registry does not have it. */
async function listTags(
  { remote, signal }: ReconcileDeps,
  path: string,
): Promise<Pick<RepoReconciliation, "names" | "time"> | undefined> {
  const names = new Set<string>();
  let time = Number.POSITIVE_INFINITY;
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page = await remote.tags(path, next, signal);
    if (page === undefined) return undefined;
    for (const name of page.names) names.add(name);
    time = Math.min(time, page.time);
    next = page.next;
  }
  return { names, time };
}

/** The audit log names the installation as the actor of reconciled changes. */
function reconcilerOrigin(): MutationOrigin {
  const from = { remoteAddress: "", userAgent: "reconciler" };
  return { ...from, actor: OPERATOR_UID, time: Date.now(), requestId: randomUUID() };
}
