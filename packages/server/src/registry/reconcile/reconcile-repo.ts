import { randomUUID } from "node:crypto";
import { OPERATOR_UID } from "../../auth/caller.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Logger } from "../../observe/logger.ts";
import { findLocation } from "../../store/tables/registry/locations.ts";
import { clearRepoDeletion, findRepoDeletion } from "../../store/tables/registry/repo-deletions.ts";
import { lastDigests } from "../../store/tables/registry/tags.ts";
import { fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RegistryContents, RemoteRegistry } from "../client/remote.ts";
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
  /** 1 if a caller has deleted the repo, and nothing was pushed since. */
  deleted: number;
}

export interface ReconcileDeps extends WriteDeps {
  readonly remote: RemoteRegistry;
  /** All attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RegistryContents>;
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
  /** The time at which they were listed: later changes win over what the list says. */
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
  const { remote } = deps;
  const { host } = remote;
  const { store } = deps;
  const findings = { same: 0, created: 0, moved: 0, removed: 0, manifests: 0, deleted: 0 };
  const origin = reconcilerOrigin();
  const listing = await listTags(deps, path);
  const location = await findLocation(store.reader, host, path);
  if (listing === undefined || listing.names.size === 0) await forgetDeletion(deps, path);
  if (listing === undefined) {
    if (location === undefined) return findings;
    await removeLocationInBatches(deps, { ...location, time: origin.time }, origin);
    return findings;
  }
  // An empty repository needs no repo here.
  if (location === undefined && listing.names.size === 0) return findings;
  const resolved = await resolvePath(deps.catalog, store.reader, path);
  if (resolved === undefined) return undefined;
  let { repo } = resolved;
  if (repo === undefined && (await staysDeleted(deps, path, listing))) {
    return { ...findings, deleted: 1 };
  }
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

/** Whether the repo of a path was deleted by a caller, and no tag is new or has moved since. */
async function staysDeleted(
  { store, remote, signal }: ReconcileDeps,
  path: string,
  listing: Listing,
): Promise<boolean> {
  const { host } = remote;
  const deletion = await findRepoDeletion(store.reader, host, path);
  if (deletion === undefined) return false;
  const names = [...listing.names];
  for (let at = 0; at < names.length; at += TAG_BATCH_SIZE) {
    const batch = names.slice(at, at + TAG_BATCH_SIZE);
    const former = await lastDigests(store.reader, deletion.repo, batch);
    if (batch.some((name) => !former.get(name))) return false;
    const current = await Promise.all(
      batch.map((name) => fallbackOnProtocolError(remote.digestOf(path, name, signal), undefined)),
    );
    if (current.some((digest, index) => digest && digest !== former.get(batch[index] as string))) {
      return false;
    }
  }
  return true;
}

/** Forgets the deletion of a repo that the registry has nothing of any more. */
async function forgetDeletion({ store, remote }: ReconcileDeps, path: string) {
  if ((await findRepoDeletion(store.reader, remote.host, path)) === undefined) return;
  await store.write((tx) => clearRepoDeletion(tx, remote.host, path));
}

/** The tags of a repository, and when they were listed. */
type Listing = Pick<RepoReconciliation, "names" | "time">;

/** All tags of a repository; undefined if the registry does not have it. */
async function listTags(
  { remote, signal }: ReconcileDeps,
  path: string,
): Promise<Listing | undefined> {
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
