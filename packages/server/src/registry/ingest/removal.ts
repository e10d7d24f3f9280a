import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import { forgetWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import {
  deleteLocation,
  deleteLocations,
  locationsOf,
  markLocationsCreated,
} from "../../store/tables/registry/locations.ts";
import { forgetManifestsUntil, hasManifests } from "../../store/tables/registry/manifests.ts";
import { hasActivitySince } from "../../store/tables/registry/processed-notifications.ts";
import { knownTags } from "../../store/tables/registry/tags.ts";
import { type MutationOrigin, systemMutation } from "./system-mutation.ts";
import { removeTag } from "./tag-state.ts";

/** A location that the registry no longer has. */
export interface RemovedLocation {
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  /** The time at which its removal was observed. */
  readonly time: number;
}

export interface RemovalDeps extends WriteDeps {
  /** The attached registries, by host. */
  readonly remotes: ReadonlyMap<string, unknown>;
}

const TAG_BATCH_SIZE = 200;

/**
 * Removes a location of a repo. With the last location, the tags and manifests of the repo are removed,
 * except newer ones. The repo itself is deleted if a push created it and nobody changed it since;
 * otherwise it stays, empty.
 */
export async function removeLocation(
  deps: RemovalDeps,
  tx: Transaction,
  location: RemovedLocation,
  origin: MutationOrigin,
): Promise<void> {
  const { host, path, repo, time } = location;
  const row = await deps.catalog.repos.table.findForChange(tx, repo);
  const locations = await locationsOf(tx, repo);
  const removed = locations.find((one) => one.host === host && one.path === path);
  if (row === undefined || removed === undefined || (await hasOther(deps, tx, location))) {
    await deleteLocation(tx, host, path);
    if (removed?.made === 1) await markLocationsCreated(tx, repo);
    return;
  }
  for (let last: string | undefined = ""; last !== undefined; )
    last = await removeTagBatch(deps, tx, location, last, origin);
  await forgetManifestsUntil(tx, repo, time);
  await requestWork(tx, [forgetWork(repo)]);
  const hasTags = await deps.catalog.tags.table.hasAny(tx, { column: "parent", value: repo });
  // Something was pushed after the removal, so the location exists again.
  if (hasTags || (await hasManifests(tx, repo)) || (await hasActivitySince(tx, repo, time))) return;
  await deleteLocation(tx, host, path);
  const { repos } = deps.catalog;
  const stored = repos.fromRow(row);
  const { createTime, updateTime } = stored;
  const isUnchanged =
    createTime !== undefined &&
    updateTime !== undefined &&
    timestampMs(createTime) === timestampMs(updateTime);
  const isCreatedByPush = locations.some(({ made }) => made === 1);
  const hasDeployment = await deps.catalog.deployments.table.keep(tx, repo);
  if (!isCreatedByPush || !isUnchanged || hasDeployment) return;
  // Locations in detached registries: nothing is recorded for a repo that no caller has deleted.
  await deleteLocations(tx, repo);
  const mutation = systemMutation(deps, tx, "repoDeletion", origin);
  await deps.hooks.of(repos).beforeDelete?.(mutation, stored);
  await mutation.remove(repos, repo);
}

/** Like `removeLocation`, in several transactions: removing many tags in one would block all writes. */
export async function removeLocationInBatches(
  deps: RemovalDeps,
  location: RemovedLocation,
  origin: MutationOrigin,
): Promise<void> {
  const { store } = deps;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const after: string = last;
    last = await store.write(async (tx) => {
      const isLast = !(await hasOther(deps, tx, location));
      return isLast ? removeTagBatch(deps, tx, location, after, origin) : undefined;
    });
  }
  await store.write((tx) => removeLocation(deps, tx, location, origin));
}

/** Whether the repo has another location. Locations in detached registries do not count. */
async function hasOther(
  { remotes }: RemovalDeps,
  reader: Reader,
  { host, path, repo }: RemovedLocation,
): Promise<boolean> {
  const locations = await locationsOf(reader, repo);
  return locations.some((one) => remotes.has(one.host) && (one.host !== host || one.path !== path));
}

/** Removes a batch of tags after a name. Returns the last name; undefined after the last batch. */
async function removeTagBatch(
  deps: WriteDeps,
  tx: Transaction,
  { repo, time }: RemovedLocation,
  after: string,
  origin: MutationOrigin,
): Promise<string | undefined> {
  const mutation = systemMutation(deps, tx, "tagDeletion", origin);
  const page = await knownTags(tx, repo, after, TAG_BATCH_SIZE);
  for (const { name } of page) await removeTag(mutation, repo, name, time);
  return page.at(-1)?.name;
}
