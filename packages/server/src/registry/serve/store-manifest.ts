import type { Mutation } from "../../engine/write/mutation.ts";
import { writeManifestContent } from "../../store/tables/registry/manifests.ts";
import { manifestDeletionTime } from "../../store/tables/registry/processed-notifications.ts";
import { recordManifest } from "../ingest/manifest-state.ts";
import { enforceStorageQuota } from "../usage/storage-quota.ts";
import type { PushedManifest } from "./read-manifest.ts";

/** The digests of what a manifest refers to. */
export function referencesOf({ blobs, manifests, optional, subject }: PushedManifest): string[] {
  const digests = [...blobs, ...manifests].map(({ digest }) => digest);
  return [...digests, ...optional, ...(subject ? [subject] : [])];
}

/** Stores a manifest with its bytes, within the quotas. What it refers to is not checked. */
export async function storeManifest(
  mutation: Mutation,
  repo: string,
  manifest: PushedManifest,
  bytes: Uint8Array,
  time: number,
): Promise<void> {
  const { tx, deps } = mutation;
  const { blobs: _b, manifests: _m, optional: _o, hasImageConfig: _h, ...row } = manifest;
  // A manifest that was deleted can be pushed again in the same millisecond.
  const deleted = (await manifestDeletionTime(tx, repo, manifest.digest)) ?? -1;
  await recordManifest(mutation, repo, { ...row, pushed: Math.max(time, deleted + 1) });
  const references = referencesOf(manifest);
  const growth = await writeManifestContent(tx, repo, manifest.digest, bytes, references);
  await enforceStorageQuota(deps, tx, growth, bytes.length);
}
