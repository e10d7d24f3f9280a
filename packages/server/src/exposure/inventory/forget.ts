import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import { imagesOfIndex } from "../../store/tables/exposure/images/image-indexes.ts";
import {
  deleteImages,
  deleteOrphans,
  findImages,
  imagesOfRepo,
  type StoredImage,
} from "../../store/tables/exposure/images/images.ts";
import { versionsOfImages } from "../../store/tables/exposure/packages/image-packages.ts";
import { deleteUnused } from "../../store/tables/exposure/packages/package-versions.ts";
import { imageWork, targetOf } from "../../store/tables/exposure/work/image-work.ts";
import { finishWork, requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { knownDigests } from "../../store/tables/registry/manifests.ts";
import { workInPages } from "../work/pages.ts";

/** Images per transaction: each may have thousands of packages. */
const BATCH_SIZE = 50;

/** Work `forget`: removes what is stored of a manifest, or of all manifests of a repo, that are not stored any more. */
export async function forgetDeleted(store: Store, work: Work): Promise<void> {
  const { repo, digest } = targetOf(work);
  if (digest === "") return forgetInRepo(store, repo, work);
  await store.write(async (tx) => {
    await forgetManifest(tx, repo, digest);
    await finishWork(tx, work);
  });
}

/** Removes what is stored of a manifest, unless it was pushed again. */
export async function forgetManifest(tx: Transaction, repo: string, digest: string): Promise<void> {
  if ((await knownDigests(tx, repo, [digest])).size > 0) return;
  // Documents and tags of an index are those of its images, too.
  const images = await imagesOfIndex(tx, repo, digest);
  await deleteOrphans(tx, repo, digest);
  await deleteWithPackages(tx, await findImages(tx, repo, [digest]));
  await requestWork(
    tx,
    images.map((image) => imageWork(repo, image)),
  );
}

function forgetInRepo(store: Store, repo: string, work: Work): Promise<void> {
  return workInPages(store, work, async (tx, after) => {
    const images = await imagesOfRepo(tx, repo, after, BATCH_SIZE);
    const digests = images.map(({ digest }) => digest);
    const existingDigests = await knownDigests(tx, repo, digests);
    const deleted = images.filter(({ digest }) => !existingDigests.has(digest));
    await deleteWithPackages(tx, deleted);
    if (images.length === BATCH_SIZE) return images.at(-1)?.digest;
    await deleteOrphans(tx, repo);
    return undefined;
  });
}

/** Deletes images, and package versions that no other image contains. */
export async function deleteWithPackages(
  tx: Transaction,
  images: readonly StoredImage[],
): Promise<void> {
  if (images.length === 0) return;
  const ids = images.map(({ id }) => id);
  const versions = await versionsOfImages(tx, ids);
  await deleteImages(tx, ids);
  await deleteUnused(tx, versions);
}
