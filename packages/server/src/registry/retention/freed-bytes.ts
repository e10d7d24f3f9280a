import type { Reader } from "../../store/db/connection.ts";
import { linksWithin } from "../../store/tables/registry/blobs.ts";
import { type ManifestReference, referencesAfter } from "../../store/tables/registry/manifests.ts";
import type { Pausing } from "./evaluate-tags.ts";

/** References read at a time. */
const PAGE_SIZE = 2_000;

const BLOB_BATCH_SIZE = 500;

/**
 * Bytes of the blobs that no repo of a scope refers to any more, once images of some repos are deleted. Only repos of the
 * scope count: whether another organization has the same content must not show.
 */
export class FreedBytes {
  readonly #scope: string;
  /** By digest of blobs that other repos link to, too: the number of those. */
  readonly #linked = new Map<string, number>();
  bytes = 0;

  /** @param scope A group or repo; "" for everything. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  async add(
    reader: Reader,
    repo: string,
    images: ReadonlySet<string>,
    task: Pausing,
  ): Promise<void> {
    if (images.size === 0) return;
    const [dropped, needed] = [new Set<string>(), new Set<string>()];
    let last: ManifestReference = ["", ""];
    for (let size = PAGE_SIZE; size === PAGE_SIZE; ) {
      const page = await referencesAfter(reader, repo, last, PAGE_SIZE);
      for (const [manifest, digest] of page) (images.has(manifest) ? dropped : needed).add(digest);
      last = page.at(-1) ?? last;
      size = page.length;
      await task.pause();
    }
    const freed = [...dropped].filter((digest) => !needed.has(digest));
    for (let at = 0; at < freed.length; at += BLOB_BATCH_SIZE) {
      const batch = freed.slice(at, at + BLOB_BATCH_SIZE);
      for (const [digest, size, links] of await linksWithin(reader, this.#scope, batch)) {
        const left = (this.#linked.get(digest) ?? links) - 1;
        if (left === 0) this.bytes += size;
        if (links > 1) this.#linked.set(digest, left);
      }
      await task.pause();
    }
  }
}
