import type { Semaphore } from "@wharf/server/lib/scheduling/semaphore.ts";
import { isDigest } from "@wharf/server/registry/images/manifest.ts";
import { object } from "@wharf/server/registry/lenient-json.ts";
import { problemOf } from "../../problem.ts";
import type { Descriptor, Manifest } from "./manifest.ts";
import type { Repository } from "./repository.ts";
import type { Tally } from "./tally.ts";

export interface CopyOptions {
  readonly source: Repository;
  readonly destination: Repository;
  /** The tags to copy. */
  readonly tags: readonly string[];
  /** All tags of the source; undefined before they are listed. */
  readonly existingTags: ReadonlySet<string> | undefined;
  readonly dryRun: boolean;
  readonly tally: Tally;
  /** Bounds the blobs that are transferred at a time. */
  readonly blobs: Semaphore;
  readonly signal: AbortSignal;
  /** Called with the numbers of copied tags and of all tags so far. */
  onProgress(done: number, total: number): void;
  onBytes(): void;
}

/** Suffixes of the tags by which tools find what is attached to an image: the referrers tag, and those of cosign. */
const ATTACHED_SUFFIXES = ["", ".sig", ".att", ".sbom"];

/**
 * Copies tags of a repository. A manifest is written after everything that it refers to, and a tag last: so what the
 * destination has is complete, and is skipped when the copy is resumed.
 */
export class RepositoryCopy {
  readonly #options: CopyOptions;
  /** Copies by digest, done or in progress: images share layers. */
  readonly #content = new Map<string, Promise<void>>();
  readonly #blobs = new Map<string, Promise<void>>();
  /** Digests whose attachments have been found. */
  readonly #searched = new Set<string>();
  readonly #queue: string[] = [];
  /** Tags that have ever been in the queue. */
  readonly #queued = new Set<string>();
  #hasReferrers = true;

  constructor(options: CopyOptions) {
    this.#options = options;
    for (const tag of options.tags) this.#enqueue(tag);
  }

  /** Copies the tags, several at a time. Failures are added to the tally. */
  async run(concurrency: number): Promise<void> {
    const { source, tally, signal, onProgress } = this.#options;
    let done = 0;
    const work = async () => {
      for (let tag = this.#queue.shift(); tag !== undefined; tag = this.#queue.shift()) {
        try {
          await this.#copyTag(tag);
        } catch (error) {
          if (signal.aborted) return;
          const { message } = problemOf(error);
          tally.failures.push({ name: `${source.path}:${tag}`, reason: message });
        }
        onProgress(++done, this.#queued.size);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  #enqueue(tag: string): void {
    if (this.#queued.has(tag)) return;
    this.#queued.add(tag);
    this.#queue.push(tag);
  }

  /** Copies a tag, and all that is attached to its images. */
  async #copyTag(tag: string): Promise<void> {
    const { source, destination, tally, signal } = this.#options;
    signal.throwIfAborted();
    const manifest = await source.manifest(tag);
    const isPresent = (await destination.digestOf(tag)) === manifest.digest;
    if (!isPresent) await this.#put(manifest, tag);
    await this.#copyAttached([manifest.digest, ...manifest.children]);
    tally.tags[isPresent ? "present" : "copied"] += 1;
  }

  async #copyUntagged(digest: string): Promise<Manifest> {
    const { source, destination, tally } = this.#options;
    const manifest = await source.manifest(digest);
    await once(this.#content, `${digest} itself`, async () => {
      if ((await destination.digestOf(digest)) === undefined) await this.#put(manifest, digest);
      else tally.manifests.present += 1;
    });
    return manifest;
  }

  async #put(manifest: Manifest, reference: string): Promise<void> {
    const { destination, dryRun, tally } = this.#options;
    await once(this.#content, manifest.digest, async () => {
      await settled(manifest.blobs.map((blob) => this.#copyBlob(blob)));
      for (const child of manifest.children) await this.#copyUntagged(child);
      tally.manifests.copied += 1;
    });
    if (!dryRun) await destination.putManifest(reference, manifest);
  }

  #copyBlob(blob: Descriptor): Promise<void> {
    return once(this.#blobs, blob.digest, () => {
      const { source, destination, dryRun, tally, blobs, signal, onBytes } = this.#options;
      return blobs.run(async () => {
        signal.throwIfAborted();
        if (await destination.hasBlob(blob.digest)) {
          tally.blobs.present += 1;
          return;
        }
        const addBytes = (count: number) => {
          tally.bytes += count;
          onBytes();
        };
        if (dryRun) addBytes(blob.size);
        else await source.copyBlob(destination, blob, addBytes);
        tally.blobs.copied += 1;
      });
    });
  }

  /**
   * Copies what is attached to manifests, and what is attached to that. With lists of digests and tags instead of
   * recursion: an attachment may contain what it is attached to.
   */
  async #copyAttached(digests: readonly string[]): Promise<void> {
    const left = [...digests];
    for (let digest = left.pop(); digest !== undefined; digest = left.pop()) {
      if (this.#searched.has(digest)) continue;
      this.#searched.add(digest);
      left.push(...(await this.#copyReferrers(digest)));
      for (const suffix of ATTACHED_SUFFIXES) {
        const tag = `${referrersTag(digest)}${suffix}`;
        if (await this.#hasTag(tag)) this.#enqueue(tag);
      }
    }
  }

  /** Copies the manifests that the referrers API lists. Returns their digests. */
  async #copyReferrers(subject: string): Promise<string[]> {
    const { source, destination, dryRun } = this.#options;
    const listed = this.#hasReferrers ? await source.referrers(subject) : undefined;
    // A registry without this API has the referrers tag instead.
    this.#hasReferrers = listed !== undefined;
    const copied = new Map<string, object>();
    for (const entry of listed ?? []) {
      const { digest } = object(entry);
      if (!isDigest(digest) || copied.has(digest)) continue;
      const manifest = await this.#copyUntagged(digest);
      if (manifest.subject === subject) copied.set(digest, entry);
    }
    if (copied.size > 0 && !dryRun && (await destination.referrers(subject)) === undefined) {
      await destination.putReferrersTag(referrersTag(subject), [...copied.values()]);
    }
    return [...copied.keys()];
  }

  async #hasTag(tag: string): Promise<boolean> {
    const { source, existingTags } = this.#options;
    return existingTags?.has(tag) ?? (await source.digestOf(tag)) !== undefined;
  }
}

/** The tag of the referrers of a digest (OCI distribution specification). */
function referrersTag(digest: string): string {
  const [algorithm, hex = ""] = digest.split(":");
  return `${algorithm}-${hex.slice(0, 64)}`;
}

/** Runs work for a key, unless that has been done or is in progress. */
function once(done: Map<string, Promise<void>>, key: string, work: () => Promise<void>) {
  const running = done.get(key) ?? work();
  done.set(key, running);
  return running;
}

/** Waits for all, then throws the first failure: what can be copied need not be copied again. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failure = results.find((one) => one.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}
