import type { Mutation } from "../../engine/write/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import { readPositions } from "../../store/resources/page.ts";
import { addImagesOf } from "../../store/tables/exposure/images/waiting-images.ts";
import {
  forgetWork,
  imageWork,
  signatureWork,
} from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import {
  deleteManifest,
  findManifest,
  type Manifest,
  writeManifest,
  writePull,
} from "../../store/tables/registry/manifests.ts";
import {
  manifestDeletionTime,
  recordManifestDeletion,
} from "../../store/tables/registry/processed-notifications.ts";
import { hasAttached } from "../../store/tables/registry/signatures.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import { NO_OTHER_LOCATIONS, type OtherLocations } from "./other-locations.ts";
import { lockRepo, removeTag } from "./tag-state.ts";

/*
 * The manifests of repos, by the same rules as their tags (tag-state.ts): reports come twice and in any
 * order, and the latest time wins.
 */

const BY_NAME = { column: "name", descending: false } as const;

/** Tags removed with one manifest; the next reconcile pass removes the rest. */
const MAX_TAGS = 10_000;

/** Stores a manifest, unless a later push or deletion of it is stored. */
export async function recordManifest(
  mutation: Mutation,
  repo: string,
  manifest: Omit<Manifest, "pulled">,
): Promise<void> {
  const { repos } = mutation.deps.catalog;
  if (!(await repos.table.keep(mutation.tx, repo))) throw notFound(repos.typeName, repo);
  const deleted = await manifestDeletionTime(mutation.tx, repo, manifest.digest);
  if (deleted !== undefined && deleted >= manifest.pushed) return;
  await writeManifest(mutation.tx, repo, manifest);
  await addImagesOf(mutation.tx, repo, manifest);
  // What is attached says something about its subject.
  const target = manifest.subject || manifest.digest;
  const mayBeSigned = manifest.subject !== "" || (await hasAttached(mutation.tx, repo, target));
  const signatures = mayBeSigned ? [signatureWork(repo, target)] : [];
  await requestWork(mutation.tx, [imageWork(repo, target), ...signatures]);
}

/** Stores manifests of an attached registry, which alone knows all that is attached to them. */
export async function recordRemoteManifests(
  mutation: Mutation,
  repo: string,
  manifests: readonly Omit<Manifest, "pulled">[],
): Promise<void> {
  for (const manifest of manifests) await recordManifest(mutation, repo, manifest);
  const subjects = manifests.filter(({ kind, subject }) => kind !== "other" && subject === "");
  const requests = subjects.map(({ digest }) => signatureWork(repo, digest));
  await requestWork(mutation.tx, requests);
}

/** Stores the time of a pull; does nothing for a manifest that is not stored. */
export function recordPull(
  { tx }: Mutation,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  return writePull(tx, repo, digest, time);
}

/**
 * Removes a manifest and its tags, as registries do, except what is newer than the deletion, and what
 * other locations of the repo still have.
 */
export async function removeManifest(
  mutation: Mutation,
  repo: string,
  digest: string,
  time: number,
  otherLocations: OtherLocations = NO_OTHER_LOCATIONS,
): Promise<void> {
  const { tx, deps } = mutation;
  await lockRepo(mutation, repo);
  if (!otherLocations.hasManifest) {
    await recordManifestDeletion(tx, repo, digest, time);
    const subject = (await findManifest(tx, repo, digest))?.subject;
    await deleteManifest(tx, repo, digest, time);
    await requestWork(
      tx,
      subject
        ? [imageWork(repo, subject), signatureWork(repo, subject)]
        : [forgetWork(repo, digest)],
    );
  }
  const range = { childrenOf: repo, partitions: deps.catalog.tags.table.shape.partitions ?? [] };
  const filters = [{ column: "digest", value: digest }];
  const query = { range, filters, order: BY_NAME, offset: 0, limit: MAX_TAGS };
  for (const { key: name } of await readPositions(tx, deps.catalog.tags.table, query)) {
    const seen = (await newestEntry(tx, repo, String(name)))?.seen ?? time;
    // Removed as of its last report: the tag may have moved before the deletion, reported later.
    if (seen <= time) await removeTag(mutation, repo, String(name), seen, otherLocations);
  }
}

/** Reverts the push of a manifest whose later deletion was reported first. */
export async function revertIfDeleted(
  mutation: Mutation,
  repo: string,
  digest: string,
  pushed: number,
): Promise<void> {
  const deleted = await manifestDeletionTime(mutation.tx, repo, digest);
  if (deleted !== undefined && deleted >= pushed) {
    await removeManifest(mutation, repo, digest, deleted);
  }
}
