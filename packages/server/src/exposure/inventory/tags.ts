import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import {
  imagesOfIndex,
  indexesOfImages,
} from "../../store/tables/exposure/images/image-indexes.ts";
import {
  type DigestTags,
  findImages,
  imagesOfRepo,
  type StoredImage,
  type Tagging,
  tagsByDigest,
  writeTagging,
} from "../../store/tables/exposure/images/images.ts";
import { targetOf } from "../../store/tables/exposure/work/image-work.ts";
import { finishWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { requestEventsOf } from "../assessment/notify.ts";
import { workInPages } from "../work/pages.ts";

/** Images per transaction. */
const BATCH_SIZE = 500;

/** Work `tags`: counts the tags of an image, of the images of an index, or of all images of a repo. */
export async function countTags(store: Store, work: Work): Promise<void> {
  const { repo, digest } = targetOf(work);
  if (digest === "") return countTagsOfRepo(store, repo, work);
  await store.write(async (tx) => {
    const digests = [digest, ...(await imagesOfIndex(tx, repo, digest))];
    await updateTagging(tx, await findImages(tx, repo, digests));
    await finishWork(tx, work);
  });
}

function countTagsOfRepo(store: Store, repo: string, work: Work): Promise<void> {
  return workInPages(store, work, async (tx, after) => {
    const images = await imagesOfRepo(tx, repo, after, BATCH_SIZE);
    await updateTagging(tx, images);
    return images.length < BATCH_SIZE ? undefined : images.at(-1)?.digest;
  });
}

/** Stores the numbers of tags of images of one repo, where they have changed. */
export async function updateTagging(
  tx: Transaction,
  images: readonly StoredImage[],
): Promise<void> {
  const [first] = images;
  if (first === undefined) return;
  const { repo } = first;
  const digests = images.map(({ digest }) => digest);
  const indexes = Map.groupBy(await indexesOfImages(tx, repo, digests), ({ image }) => image);
  const all = new Set([...digests, ...[...indexes.values()].flat().map(({ index }) => index)]);
  const tags = new Map((await tagsByDigest(tx, repo, [...all])).map((one) => [one.digest, one]));
  const now = Date.now();
  const changed = images.flatMap((image) => {
    const own = [image.digest, ...(indexes.get(image.digest) ?? []).map(({ index }) => index)];
    const current = own.flatMap((digest) => tags.get(digest) ?? []);
    const tagging = taggingOf(image, current, now);
    return tagging === undefined ? [] : [{ id: image.id, ...tagging }];
  });
  await writeTagging(tx, changed);
  // Findings of images without tags are announced once these are in use.
  const before = new Map(images.map(({ id, tags: count }) => [id, count]));
  const turned = changed.filter(({ id, tags: count }) => count > 0 !== (before.get(id) ?? 0) > 0);
  await requestEventsOf(
    tx,
    turned.map(({ id }) => id),
  );
}

/** The new tagging of an image with its current tags; undefined if it is the same. */
function taggingOf(
  before: Tagging,
  current: readonly DigestTags[],
  now: number,
): Tagging | undefined {
  const tags = current.reduce((sum, one) => sum + one.tags, 0);
  if (tags === before.tags) return undefined;
  if (tags === 0) return { tags, tagged: before.tagged, untagged: now };
  const since = Math.min(...current.map((one) => one.since));
  return { tags, tagged: before.tags > 0 ? before.tagged : since, untagged: 0 };
}
